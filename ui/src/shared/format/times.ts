import { locale } from '../../i18n';

/** A time of the hotel's day, `15:00:00` as the desk writes it, as `15:00`. */
export function formatTime(time: string): string {
  return time.slice(0, 5);
}

/** An instant as the hotel's clock showed it: `14:02`. */
export function formatClock(instant: string, timeZone: string): string {
  // Making one costs far more than using it.
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat(locale, {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timeZone, clock);
  }
  return clock.format(Date.parse(instant));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** An instant with its day by the hotel's clock: `30 Nov 14:02`. */
export function formatInstant(instant: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
    .format(Date.parse(instant))
    .replaceAll(',', '');
}
