import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { StateMark } from '../../shared/controls';
import { formatAmount, formatDay, formatPartyShort, formatTime } from '../../shared/format';
import { useHouse } from '../../shared/house';
import type { ListName } from './lists';
import styles from './LineRow.module.css';

/** Which of the two ends of a stay the list is about. */
function side(list: ListName): 'arrival' | 'departure' {
  return list === 'in_house' || list === 'due_out' || list === 'departed' ? 'departure' : 'arrival';
}

export function LineHead({ list, currency }: { list: ListName; currency: string }) {
  const leaving = side(list) === 'departure';
  return (
    <div className={`${styles.line} ${styles.head}`} aria-hidden="true">
      <span />
      <span>{leaving ? t('today.col.room') : t('today.col.time')}</span>
      <span>{t('today.col.name')}</span>
      <span>{t('today.col.party')}</span>
      <span>{t('today.col.type')}</span>
      <span>{leaving ? t('today.col.from') : t('today.col.room')}</span>
      <span className={styles.until}>{t('today.col.until')}</span>
      <span className={styles.number}>{t('today.col.nights')}</span>
      <span className={styles.number}>{t('today.col.balance', { currency })}</span>
      <span>{t('today.col.guarantee')}</span>
      <span>{t('today.col.flags')}</span>
    </div>
  );
}

export interface LineRowProps {
  line: StayLine;
  list: ListName;
  /** No longer in the list; its row stands until the pointer is still. */
  gone: boolean;
  /** Came in just now: who did it. */
  fresh: string | null;
}

export function LineRow({ line, list, gone, fresh }: LineRowProps) {
  const { hotel } = useHouse();
  const leaving = side(list) === 'departure';
  const room = <Room line={line} />;
  const dueOut = line.state === 'checked_in' && line.check_out <= hotel.business_date;
  return (
    <div className={styles.line} data-gone={gone || undefined}>
      <StateMark state={dueOut ? 'due_out' : line.state} shapeOnly />
      {leaving ? (
        room
      ) : (
        <span className={styles.time}>{line.expected_time ? formatTime(line.expected_time) : '–'}</span>
      )}
      <span className={styles.name}>
        {line.vip ? (
          <span className={styles.vip} title={t('flag.vip')}>
            ★
          </span>
        ) : null}
        {line.guest_name ? (
          <bdi>{line.guest_name}</bdi>
        ) : (
          <span className={styles.faint}>{t('common.no_name')}</span>
        )}
        {line.party_rooms > 1 ? (
          <span className={styles.faint}> · {t('common.rooms', { count: line.party_rooms })}</span>
        ) : null}
        {fresh === null ? null : <span className={styles.fresh}>• {fresh}</span>}
      </span>
      <span>{formatPartyShort(line.adults, line.children)}</span>
      <span>{line.type_code}</span>
      {leaving ? <span>{formatDay(line.check_in, hotel.business_date)}</span> : room}
      <span className={styles.until}>{formatDay(line.check_out, hotel.business_date)}</span>
      <span className={styles.number}>{line.nights}</span>
      <span className={styles.number}>
        {line.balance === 0 ? <span className={styles.faint}>0</span> : formatAmount(line.balance, hotel.currency)}
      </span>
      <span className={line.guarantee === 'none' ? styles.warn : styles.guarantee}>
        {line.guarantee === 'none' ? t('today.guarantee_none') : t(`guarantee.${line.guarantee}`)}
      </span>
      <Flags line={line} />
    </div>
  );
}

function Room({ line }: { line: StayLine }) {
  if (line.room_number === null) {
    return <span className={styles.assign}>{t('today.assign')}</span>;
  }
  const ready = line.room_status !== 'dirty';
  return (
    <span className={styles.room} title={line.room_status ? t(`room_status.${line.room_status}`) : undefined}>
      {line.room_number}
      {line.state === 'confirmed' && !ready ? (
        <>
          <span className={styles.dirty} aria-hidden="true">
            {' '}
            ○
          </span>
          <span className="visually-hidden">{t('room_status.dirty')}</span>
        </>
      ) : null}
    </span>
  );
}

/** Notes to heed as single letters, each with its word. */
function Flags({ line }: { line: StayLine }) {
  const flags = [
    line.has_notes && (['N', t('flag.notes')] as const),
    line.do_not_move && (['L', t('flag.do_not_move')] as const),
    line.over_limit && (['O', t('flag.over_limit')] as const),
    line.unsent && (['◐', t('common.unsent')] as const),
  ].filter((flag) => flag !== false);
  return (
    <span className={styles.flags}>
      {flags.map(([letter, word]) => (
        <abbr key={letter} title={word} className={styles.flag} data-over={letter === 'O' || undefined}>
          {letter}
        </abbr>
      ))}
    </span>
  );
}
