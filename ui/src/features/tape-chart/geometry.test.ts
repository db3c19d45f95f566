import { describe, expect, it } from 'vitest';
import { toNumber } from '../../shared/days';
import {
  barSpan,
  clippedSpan,
  COLUMN_PX_MAX,
  COLUMN_PX_MIN,
  dayAt,
  inColumns,
  mountedRange,
  nightAt,
  scrollInto,
  WINDOW_NIGHTS,
  windowsFor,
  zoomed,
} from './geometry';

const origin = toNumber('2027-06-01');

describe('bars', () => {
  it('b19_a_departure_and_an_arrival_share_a_day_without_touching', () => {
    const leaving = barSpan('2027-06-01', '2027-06-05', origin, 40);
    const coming = barSpan('2027-06-05', '2027-06-06', origin, 40);
    expect(leaving).toEqual({ leftPx: 20, widthPx: 160 });
    expect(leaving.leftPx + leaving.widthPx).toBe(coming.leftPx);
  });

  it('gives day use the middle of its day', () => {
    expect(barSpan('2027-06-03', '2027-06-03', origin, 40)).toEqual({ leftPx: 90, widthPx: 20 });
  });

  it('are mounted when half a day of them is in sight, and only the part that is', () => {
    const columns = { start: 10, end: 20 };
    expect(inColumns(toNumber('2027-06-05'), toNumber('2027-06-11'), origin, columns)).toBe(true);
    expect(inColumns(toNumber('2027-06-05'), toNumber('2027-06-10'), origin, columns)).toBe(false);
    expect(inColumns(toNumber('2027-06-20'), toNumber('2027-06-25'), origin, columns)).toBe(true);
    expect(inColumns(toNumber('2027-06-21'), toNumber('2027-06-25'), origin, columns)).toBe(false);
    expect(clippedSpan(barSpan('2026-06-01', '2028-06-01', origin, 40), columns, 40)).toEqual({
      leftPx: 400,
      widthPx: 400,
    });
  });

  it('are found under the pointer: a column is a day, a night begins at its noon', () => {
    expect(dayAt(79, origin, 40)).toBe(origin + 1);
    expect(nightAt(59, origin, 40)).toBe(origin);
    expect(nightAt(60, origin, 40)).toBe(origin + 1);
  });
});

describe('what is mounted', () => {
  it('covers what is in sight and stays the same for most frames', () => {
    for (let scroll = 0; scroll < 4000; scroll += 7) {
      const range = mountedRange(scroll, 600, 24, 400, 8);
      expect(range.start * 24).toBeLessThanOrEqual(scroll);
      expect(Math.min(range.end * 24, 9600)).toBeGreaterThanOrEqual(Math.min(scroll + 600, 9600));
      expect(range.end - range.start).toBeLessThanOrEqual(25 + 1 + 4 * 8);
    }
    expect(mountedRange(0, 600, 24, 400, 8)).toEqual(mountedRange(20, 600, 24, 400, 8));
  });

  it('never leaves the list', () => {
    expect(mountedRange(0, 600, 24, 3, 8)).toEqual({ start: 0, end: 3 });
    expect(mountedRange(9_999_999, 600, 24, 3, 8)).toEqual({ start: 3, end: 3 });
    expect(mountedRange(-50, 600, 24, 0, 8)).toEqual({ start: 0, end: 0 });
  });
});

describe('moving about', () => {
  it('zooms between 28 and 96 pixels and stops there', () => {
    let px = 48;
    for (let step = 0; step < 20; step += 1) px = zoomed(px, 1);
    expect(px).toBe(COLUMN_PX_MAX);
    for (let step = 0; step < 20; step += 1) px = zoomed(px, -1);
    expect(px).toBe(COLUMN_PX_MIN);
    expect(zoomed(zoomed(48, 1), -1)).toBe(48);
  });

  it('scrolls only when it must', () => {
    expect(scrollInto(100, 200, 150, 190)).toBe(100);
    expect(scrollInto(100, 200, 50, 90)).toBe(50);
    expect(scrollInto(100, 200, 290, 330)).toBe(130);
    expect(scrollInto(0, 200, 10, 20, 24)).toBe(0);
  });

  it('asks for blocks that cover what is in sight and one more on each side', () => {
    const first = 1000;
    const last = first + 530;
    expect(windowsFor(first, first + 20, first, last)).toEqual([first, first + WINDOW_NIGHTS]);
    const middle = windowsFor(first + 100, first + 140, first, last);
    expect(middle[0]).toBeLessThanOrEqual(first + 100 - WINDOW_NIGHTS / 2);
    expect((middle.at(-1) ?? 0) + WINDOW_NIGHTS).toBeGreaterThanOrEqual(
      first + 140 + WINDOW_NIGHTS / 2,
    );
    const end = windowsFor(last - 30, last + 50, first, last);
    expect(end.at(-1)).toBeLessThan(last);
    expect((end.at(-1) ?? 0) + WINDOW_NIGHTS).toBeGreaterThanOrEqual(last);
  });
});
