/**
 * Days of the hotel as plain dates: never an instant, never in a time zone. A day travels as
 * `YYYY-MM-DD`; for arithmetic it is a whole number of days since 1970-01-01, so that no clock change
 * can lose or double a night (B20).
 */
export type Day = string;

const MS_PER_DAY = 86_400_000;
const DAY_FORM = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Days of a month, 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The day, or nothing when there is no such date: 29 February is never made into the 28th (B26). */
export function dayOf(year: number, month: number, day: number): Day | undefined {
  if (!Number.isInteger(year) || year < 1900 || year > 2999) return undefined;
  if (!Number.isInteger(month) || month < 1 || month > 12) return undefined;
  if (!Number.isInteger(day) || day < 1 || day > daysInMonth(year, month)) return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

export interface DayParts {
  year: number;
  month: number;
  day: number;
}

/** Throws on what is no day: every day in the program has come through {@link dayOf} or the desk. */
export function partsOf(day: Day): DayParts {
  const match = DAY_FORM.exec(day);
  if (!match) throw new RangeError(`not a day: ${day}`);
  return { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
}

/** Whole days since 1970-01-01. */
export function toNumber(day: Day): number {
  const { year, month, day: date } = partsOf(day);
  return Date.UTC(year, month - 1, date) / MS_PER_DAY;
}

export function fromNumber(number: number): Day {
  return new Date(number * MS_PER_DAY).toISOString().slice(0, 10);
}

export function addDays(day: Day, count: number): Day {
  return fromNumber(toNumber(day) + count);
}

/** Days from `from` to `until`: the nights of the stay `[from, until)`. */
export function daysBetween(from: Day, until: Day): number {
  return toNumber(until) - toNumber(from);
}

/** 0 is Sunday. */
export function weekdayOf(number: number): number {
  return (((number + 4) % 7) + 7) % 7;
}

/** Friday and Saturday nights differ from hotel to hotel; the calendar's weekend is Saturday, Sunday. */
export function isWeekend(number: number): boolean {
  const weekday = weekdayOf(number);
  return weekday === 0 || weekday === 6;
}

/**
 * The first day of the neighbouring month. Pages go from first to first, so that a page begun on the
 * 31st skips no month (B25).
 */
export function pageMonth(day: Day, direction: 1 | -1): Day {
  const { year, month } = partsOf(day);
  const months = year * 12 + (month - 1) + direction;
  const first = dayOf(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1);
  return first ?? day;
}
