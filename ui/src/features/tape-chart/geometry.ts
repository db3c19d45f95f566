// Where things are on the chart, and which of them need to be mounted. Pure arithmetic on whole days
// and pixels: the scroll position goes in, ranges and boxes come out.
import { toNumber } from '../../shared/days';

export const ROW_PX = 24;
export const COLUMN_PX_MIN = 28;
export const COLUMN_PX_MAX = 96;
export const COLUMN_PX_DEFAULT = 56;

/** Widths of `+` and `-`: each about a fifth wider than the one before. */
export const ZOOM_STEPS: readonly number[] = [28, 34, 40, 48, 56, 66, 80, 96];

export function zoomed(columnPx: number, direction: 1 | -1): number {
  const wider = ZOOM_STEPS.find((step) => step > columnPx);
  const narrower = [...ZOOM_STEPS].reverse().find((step) => step < columnPx);
  return (direction === 1 ? wider : narrower) ?? columnPx;
}

/** Indexes `[start, end)` of a list. */
export interface Range {
  start: number;
  end: number;
}

/**
 * What to mount of a list of equal items: what is in sight, `ahead` more on each side, in whole steps of
 * `ahead`, so that most frames of a scroll change nothing.
 */
export function mountedRange(
  scrollPx: number,
  viewPx: number,
  itemPx: number,
  count: number,
  ahead: number,
): Range {
  const first = Math.floor(Math.max(0, scrollPx) / itemPx);
  const last = Math.ceil((Math.max(0, scrollPx) + viewPx) / itemPx);
  const start = Math.floor((first - ahead) / ahead) * ahead;
  const end = Math.ceil((last + ahead) / ahead) * ahead;
  return { start: Math.max(0, Math.min(start, count)), end: Math.max(0, Math.min(end, count)) };
}

export interface Span {
  leftPx: number;
  widthPx: number;
}

/**
 * The box of the stay `[from, until)` on a chart whose first column is day `origin`: from noon of the
 * arrival to noon of the departure, so that a departure and an arrival share a day's column (B19). A stay
 * of zero nights (day use) takes the middle of its day.
 */
export function barSpan(from: string, until: string, origin: number, columnPx: number): Span {
  return spanOfDays(toNumber(from), toNumber(until), origin, columnPx);
}

/** The same for day numbers. */
export function spanOfDays(from: number, until: number, origin: number, columnPx: number): Span {
  const nights = until - from;
  const leftPx = (from - origin + 0.5) * columnPx;
  if (nights <= 0) return { leftPx: leftPx - columnPx / 4, widthPx: columnPx / 2 };
  return { leftPx, widthPx: nights * columnPx };
}

/** Whether days `[from, until]` reach into columns `[start, end)`: the half days of a bar included. */
export function inColumns(from: number, until: number, origin: number, columns: Range): boolean {
  return from - origin < columns.end && until - origin >= columns.start;
}

/** The part of a bar that is mounted: a stay of a year is no box of ten thousand pixels. */
export function clippedSpan(span: Span, columns: Range, columnPx: number): Span {
  const leftPx = Math.max(span.leftPx, columns.start * columnPx);
  const rightPx = Math.min(span.leftPx + span.widthPx, columns.end * columnPx);
  return { leftPx, widthPx: Math.max(0, rightPx - leftPx) };
}

/** The day whose column is under a distance from the chart's left edge. */
export function dayAt(xPx: number, origin: number, columnPx: number): number {
  return origin + Math.floor(xPx / columnPx);
}

/** The night under it: a bar begins at noon, so the first half of a column belongs to the night before. */
export function nightAt(xPx: number, origin: number, columnPx: number): number {
  return origin + Math.floor(xPx / columnPx - 0.5);
}

/** How far to scroll so that `[startPx, endPx)` is in sight; the same position when it is already. */
export function scrollInto(
  scrollPx: number,
  viewPx: number,
  startPx: number,
  endPx: number,
  marginPx = 0,
): number {
  if (startPx - marginPx < scrollPx) return Math.max(0, startPx - marginPx);
  if (endPx + marginPx > scrollPx + viewPx) return Math.max(0, endPx + marginPx - viewPx);
  return scrollPx;
}

/** Windows of the chart's data: fixed blocks of nights, so that scrolling back asks nothing twice. */
export const WINDOW_NIGHTS = 42;

/** First days of the blocks that cover `[from, until)` and one more ahead on each side. */
export function windowsFor(from: number, until: number, first: number, last: number): number[] {
  const low = Math.max(from, first);
  const high = Math.min(until, last);
  const block = (day: number): number => Math.floor((day - first) / WINDOW_NIGHTS);
  const start = Math.max(0, block(low) - 1);
  const end = Math.min(block(last - 1), block(Math.max(low, high - 1)) + 1);
  const windows: number[] = [];
  for (let index = start; index <= end; index += 1) windows.push(first + index * WINDOW_NIGHTS);
  return windows;
}
