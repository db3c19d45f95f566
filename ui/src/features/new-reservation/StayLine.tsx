import type { KeyboardEvent, Ref } from 'react';
import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import { formatDate, formatDateLong } from '../../shared/format';
import { DatePick } from './DatePick';
import type { StayProblem, StayReading } from './stay-text';
import styles from './new.module.css';

interface StayLineFieldProps {
  line: string;
  reading: StayReading;
  businessDate: string;
  /** Say what is wrong: not while the first words are still being typed. */
  strict: boolean;
  onLine: (line: string) => void;
  onPick: (checkIn: string, checkOut: string) => void;
  /** Takes one of two readings of an unclear date. */
  onRepair: (day: string) => void;
  onEnter: () => void;
  onBlur: () => void;
  inputRef: Ref<HTMLInputElement>;
}

/** Dates and rooms in one typed line, with what was understood below it. */
export function StayLineField(props: StayLineFieldProps) {
  const { reading, strict, businessDate } = props;
  const wrong = !reading.ok && strict && reading.problem.code !== 'empty';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.ctrlKey) return;
    event.preventDefault();
    props.onEnter();
  };
  return (
    <div className={styles.lineField}>
      <label className={styles.caption} htmlFor="new-res-dates">
        {t('new.line')}
      </label>
      <div className={styles.lineRow}>
        <input
          ref={props.inputRef}
          id="new-res-dates"
          className={styles.line}
          value={props.line}
          placeholder={t('new.line_example')}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={wrong}
          aria-describedby="new-res-reading"
          data-autofocus
          data-testid="new-res-dates"
          onChange={(event) => props.onLine(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={props.onBlur}
        />
        <DatePick
          businessDate={businessDate}
          checkIn={reading.ok ? reading.stay.checkIn : undefined}
          checkOut={reading.ok ? reading.stay.checkOut : undefined}
          onPick={props.onPick}
        />
      </div>
      <div
        id="new-res-reading"
        className={styles.reading}
        aria-live="polite"
        data-testid="new-res-reading"
      >
        {reading.ok ? (
          <>
            <b>{`${formatDate(reading.stay.checkIn, businessDate)} – ${formatDate(reading.stay.checkOut, businessDate)}`}</b>
            <span>{t('common.nights', { count: reading.stay.nights })}</span>
            <span>
              {t('common.rooms', {
                count: reading.stay.rooms.reduce((sum, room) => sum + room.count, 0),
              })}
            </span>
            {reading.stay.nightsAssumed ? <i>{t('new.one_night_assumed')}</i> : null}
          </>
        ) : wrong ? (
          <>
            <span className={styles.error}>{problemText(reading.problem, businessDate)}</span>
            {reading.repairs.length > 0 ? <span>{t('new.did_you_mean')}</span> : null}
            {reading.repairs.map((day) => (
              <Button key={day} onPress={() => props.onRepair(day)} data-testid="date-reading">
                {formatDateLong(day)}
              </Button>
            ))}
          </>
        ) : (
          <i>{t('new.line_hint', { example: t('new.line_example') })}</i>
        )}
      </div>
    </div>
  );
}

function problemText(problem: StayProblem, businessDate: string): string {
  const day = (date: string) => formatDate(date, businessDate);
  switch (problem.code) {
    case 'empty':
    case 'no_arrival':
      return t(`new.line.${problem.code}`);
    case 'unclear_date':
    case 'too_many_dates':
    case 'unclear_number':
    case 'unknown_word':
      return t(`new.line.${problem.code}`, { text: problem.text });
    case 'no_such_date':
      return t('new.line.no_such_date', { text: problem.text, year: String(problem.year) });
    case 'past':
      return t('new.line.past', { day: day(problem.day) });
    case 'not_after':
      return t('new.line.not_after', { day: day(problem.checkIn) });
    case 'too_many_nights':
      return t('new.line.too_many_nights', { max: problem.max });
    case 'nights_and_departure_differ':
      return t('new.line.nights_and_departure_differ', {
        nights: problem.nights,
        dates: problem.dates,
      });
    case 'bad_count':
      return t(`new.line.bad_count.${problem.what}`, { text: problem.text, max: problem.max });
    case 'unclear_type':
      return t('new.line.unclear_type', {
        text: problem.text,
        choices: problem.choices.join(' / '),
      });
  }
}
