import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayOf,
  daysBetween,
  fromNumber,
  isWeekend,
  pageMonth,
  toNumber,
  weekdayOf,
} from './days';

describe('days', () => {
  it('b20_clock_changes_neither_lose_nor_double_a_night', () => {
    expect(daysBetween('2027-10-30', '2027-10-31')).toBe(1);
    expect(daysBetween('2027-10-31', '2027-11-01')).toBe(1);
    expect(daysBetween('2027-10-25', '2027-11-02')).toBe(8);
    expect(daysBetween('2027-03-27', '2027-03-28')).toBe(1);
    expect(daysBetween('2027-03-28', '2027-03-29')).toBe(1);
    expect(daysBetween('2027-09-04', '2027-09-05')).toBe(1);
    expect(daysBetween('2027-04-30', '2027-05-01')).toBe(1);
  });

  it('b25_no_month_is_skipped_in_either_direction', () => {
    expect(pageMonth('2027-01-31', 1)).toBe('2027-02-01');
    expect(pageMonth('2028-01-31', 1)).toBe('2028-02-01');
    expect(pageMonth('2026-12-31', 1)).toBe('2027-01-01');
    expect(pageMonth('2027-03-31', -1)).toBe('2027-02-01');
    expect(pageMonth('2027-01-01', -1)).toBe('2026-12-01');
    let day = '2026-01-31';
    const seen: string[] = [];
    for (let page = 0; page < 36; page += 1) {
      day = pageMonth(day, 1);
      seen.push(day.slice(0, 7));
    }
    expect(new Set(seen).size).toBe(36);
    expect(seen[0]).toBe('2026-02');
    expect(seen[35]).toBe('2029-01');
  });

  it('b26_a_date_that_does_not_exist_is_never_coerced', () => {
    expect(dayOf(2027, 2, 29)).toBeUndefined();
    expect(dayOf(2028, 2, 29)).toBe('2028-02-29');
    expect(dayOf(2027, 4, 31)).toBeUndefined();
    expect(dayOf(2100, 2, 29)).toBeUndefined();
    expect(daysBetween('2028-02-28', '2028-03-01')).toBe(2);
  });

  it('goes to numbers and back', () => {
    expect(toNumber('1970-01-01')).toBe(0);
    for (const day of ['1969-12-31', '2026-11-30', '2028-02-29', '2999-12-31']) {
      expect(fromNumber(toNumber(day))).toBe(day);
    }
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  });

  it('knows the weekday', () => {
    expect(weekdayOf(toNumber('2026-11-30'))).toBe(1);
    expect(weekdayOf(toNumber('1969-12-28'))).toBe(0);
    expect(isWeekend(toNumber('2026-12-05'))).toBe(true);
    expect(isWeekend(toNumber('2026-12-04'))).toBe(false);
  });
});
