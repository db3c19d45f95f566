import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { formatAmount, formatDateLong, formatDays, formatPartyShort, formatTime } from '../../shared/format';
import { useHouse } from '../../shared/house';
import type { ListName } from './lists';
import styles from './PrintSheet.module.css';

/** The whole list on paper. It is mounted for the moment of printing only: screens hold few rows. */
export function PrintSheet({ list, lines }: { list: ListName; lines: readonly StayLine[] }) {
  const { hotel } = useHouse();
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
  if (!printing) return null;
  return (
    <div className={styles.sheet}>
      <h1>
        {hotel.name} · {t(`today.list.${list}`)} · {formatDateLong(hotel.business_date)}
      </h1>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{t('today.col.room')}</th>
            <th>{t('today.col.time')}</th>
            <th>{t('today.col.name')}</th>
            <th>{t('today.col.party')}</th>
            <th>{t('today.col.type')}</th>
            <th>{t('today.col.stay')}</th>
            <th className={styles.number}>{t('today.col.balance', { currency: hotel.currency })}</th>
            <th>{t('today.col.number')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.id}>
              <td>{line.room_number ?? ''}</td>
              <td>{line.expected_time ? formatTime(line.expected_time) : ''}</td>
              <td>{line.guest_name || t('common.no_name')}</td>
              <td>{formatPartyShort(line.adults, line.children)}</td>
              <td>{line.type_code}</td>
              <td>{formatDays(line.check_in, line.check_out, hotel.business_date)}</td>
              <td className={styles.number}>{formatAmount(line.balance, hotel.currency)}</td>
              <td>{line.number}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
