// Nights are plain dates, `2026-11-30`, and never instants: no time zone is asked here (the hotel's
// 30 November is the same night in Honolulu and on Kiritimati).
import { locale, t } from '../../i18n';

const DAY_MS = 86_400_000;

function utc(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The day so many days on (or back). */
export function addDays(day: string, count: number): string {
  return new Date(utc(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** Nights between arrival and departure. */
export function nightsBetween(from: string, until: string): number {
  return Math.round((utc(until) - utc(from)) / DAY_MS);
}

/** Every night from arrival to the one before departure. */
export function eachNight(from: string, count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, place) => addDays(from, place));
}

/** 0 Sunday to 6 Saturday. */
export function weekday(day: string): number {
  return new Date(utc(day)).getUTCDay();
}

const formats = new Map<string, Intl.DateTimeFormat>();
function parts(day: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    formats.set(key, format);
  }
  // `Mon, 30 Nov` in some versions of the locale data: the comma says nothing.
  return format.format(utc(day)).replaceAll(',', '');
}

/** `30 Nov`, with the year when it is not the one that goes without saying. */
export function formatDay(day: string, nearYear?: string): string {
  const year = nearYear !== undefined && nearYear.slice(0, 4) !== day.slice(0, 4);
  return parts(day, { day: 'numeric', month: 'short', ...(year ? { year: 'numeric' } : {}) });
}

/** `Mon 30 Nov`. */
export function formatDate(day: string, nearYear?: string): string {
  const year = nearYear !== undefined && nearYear.slice(0, 4) !== day.slice(0, 4);
  return parts(day, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(year ? { year: 'numeric' } : {}),
  });
}

/** `Mon`. */
export function formatWeekday(day: string): string {
  return parts(day, { weekday: 'short' });
}

/** `Monday 30 November 2026`, for titles and print. */
export function formatDateLong(day: string): string {
  return parts(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}

/** `30 Nov – 2 Dec`; the month once where it is the same: `1 – 3 Dec`. */
export function formatDays(checkIn: string, checkOut: string, nearYear?: string): string {
  if (checkIn === checkOut) return formatDay(checkIn, nearYear);
  const sameMonth = checkIn.slice(0, 7) === checkOut.slice(0, 7);
  const from = sameMonth ? String(Number(checkIn.slice(8))) : formatDay(checkIn, nearYear);
  return `${from} – ${formatDay(checkOut, nearYear)}`;
}

/** `30 Nov – 2 Dec · 2 nights`. */
export function formatStay(checkIn: string, checkOut: string, nearYear?: string): string {
  const count = nightsBetween(checkIn, checkOut);
  const length = count === 0 ? t('common.day_use') : t('common.nights', { count });
  return `${formatDays(checkIn, checkOut, nearYear)} · ${length}`;
}
