import { parseDate } from '@internationalized/date';
import {
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  Dialog,
  DialogTrigger,
  Heading,
  I18nProvider,
  Popover,
  RangeCalendar,
} from 'react-aria-components';
import { locale, t } from '../../i18n';
import { Button } from '../../shared/controls';
import styles from './new.module.css';

interface DatePickProps {
  businessDate: string;
  checkIn: string | undefined;
  checkOut: string | undefined;
  onPick: (checkIn: string, checkOut: string) => void;
}

/** Two months to pick arrival and departure from, for those who would rather point than type. */
export function DatePick({ businessDate, checkIn, checkOut, onPick }: DatePickProps) {
  return (
    <DialogTrigger>
      <Button aria-label={t('new.pick_dates')} data-testid="pick-dates">
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <path
            d="M1.5 3.5h11v9h-11zM1.5 6h11M4.5 1.5v3M9.5 1.5v3"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.3"
          />
        </svg>
        {t('new.pick_dates')}
      </Button>
      <Popover className={styles.popover} placement="bottom start">
        <Dialog className={styles.dialog} aria-label={t('new.pick_title')}>
          {({ close }) => (
            <I18nProvider locale={locale}>
              <RangeCalendar
                aria-label={t('new.pick_title')}
                autoFocus
                visibleDuration={{ months: 2 }}
                minValue={parseDate(businessDate)}
                defaultValue={
                  checkIn !== undefined && checkOut !== undefined
                    ? { start: parseDate(checkIn), end: parseDate(checkOut) }
                    : null
                }
                defaultFocusedValue={parseDate(checkIn ?? businessDate)}
                onChange={(range) => {
                  const start = range.start.toString();
                  const end = range.end.toString();
                  // The same day twice is a stay of one night: a departure is never the day of arrival.
                  onPick(start, end === start ? range.start.add({ days: 1 }).toString() : end);
                  close();
                }}
              >
                <header className={styles.months}>
                  <Button slot="previous" kind="quiet" aria-label={t('new.previous_month')}>
                    ‹
                  </Button>
                  <Heading className={styles.monthTitle} />
                  <Button slot="next" kind="quiet" aria-label={t('new.next_month')}>
                    ›
                  </Button>
                </header>
                <div className={styles.calendars}>
                  {[0, 1].map((months) => (
                    <CalendarGrid
                      key={months}
                      className={styles.calendar}
                      {...(months > 0 ? { offset: { months } } : {})}
                    >
                      <CalendarGridHeader>
                        {(day) => (
                          <CalendarHeaderCell className={styles.weekday}>{day}</CalendarHeaderCell>
                        )}
                      </CalendarGridHeader>
                      <CalendarGridBody>
                        {(date) => <CalendarCell date={date} className={styles.date} />}
                      </CalendarGridBody>
                    </CalendarGrid>
                  ))}
                </div>
              </RangeCalendar>
            </I18nProvider>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
