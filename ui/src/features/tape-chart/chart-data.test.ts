import { describe, expect, it } from 'vitest';
import type { Chart } from '../../generated/Chart';
import type { ChartBar } from '../../generated/ChartBar';
import { barOn, joinCharts, lookOf, NO_DATA } from './chart-data';
import { aBar, aRoom, aStay, aType } from './testing';

const chart = (
  bars: ChartBar[],
  unassigned = [] as Chart['unassigned'],
  cells = [] as Chart['cells'],
): Chart => ({
  business_date: '2027-06-10',
  types: [aType('STD')],
  rooms: [aRoom('101'), aRoom('102')],
  bars,
  unassigned,
  cells,
});

const long = aBar(aStay('long', '2027-06-10', '2027-07-10'), 'r-101');
const short = aBar(aStay('short', '2027-06-11', '2027-06-12'), 'r-102');

describe('joined blocks', () => {
  it('have a bar once that reaches over two of them', () => {
    const data = joinCharts([chart([long, short]), chart([long])], NO_DATA);
    expect(data.barsOf('r-101')).toEqual([long]);
    expect(data.barsOf('r-102')).toEqual([short]);
  });

  it('keep the list of a room in which nothing has changed', () => {
    const before = joinCharts([chart([long, short])], NO_DATA);
    const [first, second] = [before.barsOf('r-101'), before.barsOf('r-102')];
    const after = joinCharts([chart([long, { ...short, until: '2027-06-13' }])], before);
    expect(after.barsOf('r-101')).toBe(first);
    expect(after.barsOf('r-102')).not.toBe(second);
    expect(after.bar(short.id)?.until).toBe('2027-06-13');
    expect(after.stay('short')).toBe(short.stay);
  });

  it('list who has no room by arrival, and keep what was shown while nothing is there yet', () => {
    const later = aStay('1', '2027-06-12', '2027-06-13');
    const first = aStay('2', '2027-06-11', '2027-06-13', { over_limit: true });
    const data = joinCharts([chart([], [later, first])], NO_DATA);
    expect(data.unassigned).toEqual([first, later]);
    expect(joinCharts([], data)).toBe(data);
  });
});

describe('the bar of a night', () => {
  it('is found from its first night up to the one before its end', () => {
    expect(barOn([short], '2027-06-11')).toBe(short);
    expect(barOn([short], '2027-06-12')).toBeUndefined();
    const dayUse = aBar(aStay('d', '2027-06-15', '2027-06-15'), 'r-101');
    expect(barOn([dayUse], '2027-06-15')).toBe(dayUse);
  });
});

describe('looks', () => {
  it('follow the state, and the open day for those due out', () => {
    const look = (more: Parameters<typeof aStay>[3]) =>
      lookOf('stay', aStay('1', '2027-06-08', '2027-06-10', more), '2027-06-10');
    expect(look({ state: 'checked_in' })).toBe('due_out');
    expect(look({ state: 'checked_in', check_out: '2027-06-11' })).toBe('in_house');
    expect(look({ state: 'held' })).toBe('held');
    expect(look({})).toBe('confirmed');
    expect(look({ over_limit: true })).toBe('over_limit');
    expect(look({ state: 'checked_out' })).toBe('gone');
    expect(lookOf('out_of_order', null, '2027-06-10')).toBe('out_of_order');
  });
});
