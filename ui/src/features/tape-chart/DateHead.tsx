import { memo } from 'react';
import { t } from '../../i18n';
import { formatDateLong, formatWeekday } from '../../shared/format';
import { locale } from '../../i18n';
import { daysInMonth, fromNumber, isWeekend, partsOf } from '../../shared/days';
import { type Range } from './geometry';
import styles from './chart.module.css';

interface DateHeadProps {
  origin: number;
  columnPx: number;
  columns: Range;
  businessDay: number;
}

const monthName = new Intl.DateTimeFormat(locale, {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Narrower months are written short. */
const MONTH_PX = 130;
const shortMonth = new Intl.DateTimeFormat(locale, { month: 'short', timeZone: 'UTC' });

/** The days across, and the months above them. */
export const DateHead = memo(function DateHead({
  origin,
  columnPx,
  columns,
  businessDay,
}: DateHeadProps) {
  const days = Array.from(
    { length: columns.end - columns.start },
    (_, index) => columns.start + index,
  );
  return (
    <div className={styles.dates} role="row" aria-rowindex={1}>
      <div className={styles.corner} role="columnheader">
        <span className="visually-hidden">{t('chart.title')}</span>
      </div>
      {months(origin, columns).map((month) => (
        <div
          key={month.day}
          className={styles.month}
          aria-hidden="true"
          style={{ left: month.start * columnPx, width: (month.end - month.start) * columnPx }}
        >
          <span>
            {((month.end - month.start) * columnPx < MONTH_PX ? shortMonth : monthName).format(
              Date.parse(month.day),
            )}
          </span>
        </div>
      ))}
      {days.map((column) => (
        <Day
          key={column}
          column={column}
          number={origin + column}
          columnPx={columnPx}
          today={origin + column === businessDay}
        />
      ))}
    </div>
  );
});

interface DayProps {
  column: number;
  number: number;
  columnPx: number;
  today: boolean;
}

const Day = memo(function Day({ column, number, columnPx, today }: DayProps) {
  const day = fromNumber(number);
  return (
    <div
      className={styles.day}
      role="columnheader"
      aria-colindex={column + 2}
      aria-label={formatDateLong(day)}
      data-weekend={isWeekend(number) || undefined}
      data-today={today || undefined}
      style={{ left: column * columnPx, width: columnPx }}
    >
      {`${formatWeekday(day)}\n${Number(day.slice(8))}`}
    </div>
  );
});

interface Month {
  day: string;
  start: number;
  end: number;
}

/** The months that reach into the columns, each cut to them. */
export function months(origin: number, columns: Range): Month[] {
  const found: Month[] = [];
  let column = columns.start;
  while (column < columns.end) {
    const day = fromNumber(origin + column);
    const { year, month, day: date } = partsOf(day);
    const end = Math.min(columns.end, column + daysInMonth(year, month) - date + 1);
    found.push({ day, start: column, end });
    column = end;
  }
  return found;
}
