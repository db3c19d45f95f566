// The keyboard's cursor over the chart, and what it carries. A cell is a row by its key and a day; a bar
// is found under the cell when it is needed, so the cursor survives every change of the data.
export interface Cell {
  row: string;
  day: number;
}

export interface Carried {
  stayId: string;
  /** Where it was taken up, to be put back. */
  from: Cell;
}

export interface CursorState {
  cell: Cell | undefined;
  carried: Carried | undefined;
}

/** The rows the cursor can stand on, top to bottom: lanes of the unassigned first, then the house. */
export interface CursorGrid {
  rows: readonly string[];
  /** Of these, where a stay can be put. */
  places: ReadonlySet<string>;
  firstDay: number;
  /** Exclusive. */
  endDay: number;
  /** How many rows and days a page has. */
  pageRows: number;
  pageDays: number;
}

export type CursorAct =
  | { act: 'move'; rows: number; days: number }
  | { act: 'page'; rows: -1 | 0 | 1; days: -1 | 0 | 1 }
  | { act: 'edge'; to: 'row_start' | 'row_end' | 'first_row' | 'last_row'; today: number }
  | { act: 'go'; cell: Cell }
  | { act: 'take'; stayId: string }
  | { act: 'put_back' }
  | { act: 'dropped' };

const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), Math.max(low, high));

export function moveCursor(state: CursorState, act: CursorAct, grid: CursorGrid): CursorState {
  const cell = state.cell ?? startCell(grid);
  if (!cell) return state;
  switch (act.act) {
    case 'move':
      return step(state, cell, act.rows, act.days, grid);
    case 'page':
      return step(state, cell, act.rows * grid.pageRows, act.days * grid.pageDays, grid);
    case 'edge':
      return edge(state, cell, act, grid);
    case 'go':
      return state.carried
        ? { ...state, cell: { row: act.cell.row, day: cell.day } }
        : { ...state, cell: act.cell };
    case 'take':
      return state.carried ? state : { cell, carried: { stayId: act.stayId, from: cell } };
    case 'put_back':
      return state.carried ? { cell: state.carried.from, carried: undefined } : state;
    case 'dropped':
      return { cell, carried: undefined };
  }
}

function startCell(grid: CursorGrid): Cell | undefined {
  const row = grid.rows[0];
  return row === undefined ? undefined : { row, day: grid.firstDay };
}

function step(
  state: CursorState,
  cell: Cell,
  rows: number,
  days: number,
  grid: CursorGrid,
): CursorState {
  // What is carried keeps its dates: it goes up and down between rooms, over the heads between them.
  const list = state.carried
    ? grid.rows.filter((row) => grid.places.has(row) || row === cell.row)
    : grid.rows;
  const at = list.indexOf(cell.row);
  // The row is gone (its group was closed): the first one takes its place.
  const row = list[at < 0 ? 0 : clamp(at + rows, 0, list.length - 1)] ?? cell.row;
  const day = state.carried ? cell.day : clamp(cell.day + days, grid.firstDay, grid.endDay - 1);
  return { ...state, cell: { row, day } };
}

function edge(
  state: CursorState,
  cell: Cell,
  act: Extract<CursorAct, { act: 'edge' }>,
  grid: CursorGrid,
): CursorState {
  const list = state.carried ? grid.rows.filter((row) => grid.places.has(row)) : grid.rows;
  const first = list[0] ?? cell.row;
  const last = list[list.length - 1] ?? cell.row;
  if (act.to === 'first_row') return { ...state, cell: { row: first, day: cell.day } };
  if (act.to === 'last_row') return { ...state, cell: { row: last, day: cell.day } };
  if (state.carried) return state;
  if (act.to === 'row_start') {
    // Home is today, where the work is; from there the very beginning.
    const today = clamp(act.today, grid.firstDay, grid.endDay - 1);
    return { ...state, cell: { row: cell.row, day: cell.day === today ? grid.firstDay : today } };
  }
  return { ...state, cell: { row: cell.row, day: grid.endDay - 1 } };
}
