import { describe, expect, it } from 'vitest';
import { type CursorAct, type CursorGrid, type CursorState, moveCursor } from './cursor';

const grid: CursorGrid = {
  rows: ['lane:0', 'type:a', 'r-1', 'r-2', 'type:b', 'r-3'],
  places: new Set(['lane:0', 'r-1', 'r-2', 'r-3']),
  firstDay: 100,
  endDay: 200,
  pageRows: 3,
  pageDays: 20,
};
const at = (row: string, day = 110): CursorState => ({ cell: { row, day }, carried: undefined });
const run = (state: CursorState, ...acts: CursorAct[]) =>
  acts.reduce((now, act) => moveCursor(now, act, grid), state);
const down: CursorAct = { act: 'move', rows: 1, days: 0 };
const up: CursorAct = { act: 'move', rows: -1, days: 0 };
const right: CursorAct = { act: 'move', rows: 0, days: 1 };

describe('the cursor', () => {
  it('walks over cells and stops at the edges', () => {
    expect(run(at('r-1'), down, right).cell).toEqual({ row: 'r-2', day: 111 });
    expect(run(at('r-3'), down).cell?.row).toBe('r-3');
    expect(run(at('lane:0'), up).cell?.row).toBe('lane:0');
    expect(run(at('r-1', 199), right).cell?.day).toBe(199);
    expect(run(at('r-1', 100), { act: 'move', rows: 0, days: -1 }).cell?.day).toBe(100);
  });

  it('pages, and knows home and end', () => {
    expect(run(at('lane:0'), { act: 'page', rows: 1, days: 0 }).cell?.row).toBe('r-2');
    expect(run(at('r-1'), { act: 'page', rows: 0, days: 1 }).cell?.day).toBe(130);
    const home: CursorAct = { act: 'edge', to: 'row_start', today: 130 };
    expect(run(at('r-1'), home).cell?.day).toBe(130);
    expect(run(at('r-1'), home, home).cell?.day).toBe(100);
    expect(run(at('r-1'), { act: 'edge', to: 'row_end', today: 130 }).cell?.day).toBe(199);
    expect(run(at('r-1'), { act: 'edge', to: 'last_row', today: 130 }).cell).toEqual({
      row: 'r-3',
      day: 110,
    });
  });

  it('carries a stay up and down over heads, keeps its dates, and puts it back', () => {
    const carrying = run(at('r-2'), { act: 'take', stayId: 's' }, down);
    expect(carrying).toEqual({
      cell: { row: 'r-3', day: 110 },
      carried: { stayId: 's', from: { row: 'r-2', day: 110 } },
    });
    expect(run(carrying, right).cell?.day).toBe(110);
    expect(run(carrying, { act: 'put_back' })).toEqual(at('r-2'));
    expect(run(carrying, { act: 'dropped' })).toEqual(at('r-3'));
    expect(run(carrying, { act: 'take', stayId: 'other' }).carried?.stayId).toBe('s');
  });

  it('stays with its row whatever happens around it, and finds one when the row is gone', () => {
    const fewer: CursorGrid = { ...grid, rows: ['r-2', 'r-3'] };
    expect(moveCursor(at('r-2'), down, fewer).cell?.row).toBe('r-3');
    expect(moveCursor(at('r-1'), right, fewer).cell).toEqual({ row: 'r-2', day: 111 });
    expect(moveCursor({ cell: undefined, carried: undefined }, right, grid).cell).toEqual({
      row: 'lane:0',
      day: 101,
    });
    expect(
      moveCursor({ cell: undefined, carried: undefined }, right, { ...grid, rows: [] }).cell,
    ).toBeUndefined();
  });
});
