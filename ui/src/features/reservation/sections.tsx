import type { ReservationDetail } from '../../generated/ReservationDetail';
import type { StayLine } from '../../generated/StayLine';
import { t, tWord } from '../../i18n';
import { Facts, StateMark } from '../../shared/controls';
import {
  formatAmount,
  formatClock,
  formatDate,
  formatInstant,
  formatMoney,
  formatParty,
  formatStay,
  formatTime,
} from '../../shared/format';
import { GuestFacts } from '../../shared/guests';
import { useHouse } from '../../shared/house';
import { openPanel } from '../../shared/route';
import { useRpc } from '../../shared/rpc';
import styles from './Reservation.module.css';

export function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className={styles.section}>
      <h3 className={styles.sectionTitle}>{title}</h3>
      {children}
    </section>
  );
}

export function GuestSection({ detail }: { detail: ReservationDetail }) {
  const { guest, further_guests: further } = detail;
  return (
    <Section title={t('guest.title')}>
      {guest ? <GuestFacts guest={guest} /> : <p className={styles.faint}>{t('guest.none')}</p>}
      {further.length > 0 ? (
        <Facts rows={[[t('guest.further'), further.map((one) => one.name).join(', ')]]} />
      ) : null}
    </Section>
  );
}

/** `8 months` is no age here: whole years. */
function ages(children: readonly number[]): string {
  return children.join(', ');
}

export function StaySection({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  const { line, row, booking } = detail;
  const near = hotel.business_date;
  return (
    <Section title={t('stay.title')}>
      <Facts
        rows={[
          [t('stay.dates'), formatStay(line.check_in, line.check_out, near)],
          [t('stay.type'), line.type_code],
          [t('stay.room'), <RoomText key="room" line={line} />],
          [t('stay.party'), formatParty(line.adults, line.children)],
          row.children.length > 0 && [t('stay.children_ages'), ages(row.children)],
          line.expected_time !== null && [t('stay.expected'), formatTime(line.expected_time)],
          [t('stay.guarantee'), t(`guarantee.${line.guarantee}`)],
          row.release_at !== null &&
            line.state === 'confirmed' && [t('stay.release'), formatInstant(row.release_at, hotel.time_zone)],
          line.hold_expires_at !== null &&
            line.state === 'held' && [t('stay.hold_until'), formatClock(line.hold_expires_at, hotel.time_zone)],
          [t('stay.total'), formatMoney(line.total, hotel.currency)],
          [t('stay.balance'), formatMoney(line.balance, hotel.currency)],
          [t('stay.channel'), t(`channel.${booking.channel}`)],
          booking.external_id !== null && [t('stay.external'), booking.external_id],
          [t('stay.segment'), t(`segment.${row.segment}`)],
          [t('stay.made'), formatInstant(booking.created_at, hotel.time_zone)],
        ]}
      />
      {row.notes !== '' ? (
        <p className={styles.notes}>
          <span className={styles.faint}>{t('stay.notes')}: </span>
          {row.notes}
        </p>
      ) : null}
    </Section>
  );
}

export function RoomText({ line }: { line: StayLine }) {
  if (line.room_number === null) return <span className={styles.warn}>{t('stay.no_room')}</span>;
  return (
    <>
      <strong>{line.room_number}</strong>
      {line.room_status ? ` · ${t(`room_status.${line.room_status}`)}` : ''}
      {line.do_not_move ? ` · ${t('stay.do_not_move')}` : ''}
    </>
  );
}

export function NightsSection({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  const catalogue = useRpc('catalogue.get', {});
  const code = (id: string) => catalogue.data?.types.find((type) => type.id === id)?.code ?? '';
  return (
    <Section title={t('stay.nights')}>
      <table className={styles.table}>
        <thead className="visually-hidden">
          <tr>
            <th>{t('stay.night')}</th>
            <th>{t('stay.type')}</th>
            <th>{t('stay.price')}</th>
          </tr>
        </thead>
        <tbody>
          {detail.row.nights.map((night) => (
            <tr key={night.stay_date} data-past={night.stay_date < hotel.business_date || undefined}>
              <td>{formatDate(night.stay_date, hotel.business_date)}</td>
              <td>
                {night.room_type_id === night.charged_type_id
                  ? code(night.room_type_id)
                  : t('stay.given_type', {
                      given: code(night.room_type_id),
                      charged: code(night.charged_type_id),
                    })}
                {night.counted ? null : <span className={styles.faint}> · {t('stay.not_counted')}</span>}
              </td>
              <td className={styles.amount}>{formatAmount(night.price, hotel.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

export function PartySection({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  if (detail.party.length === 0) return null;
  return (
    <Section title={t('stay.party_of', { count: detail.party.length + 1 })}>
      <ul className={styles.list}>
        {detail.party.map((line) => (
          <li key={line.id}>
            <button type="button" className={styles.row} onClick={() => openPanel('reservation', line.id)}>
              <StateMark state={line.state} shapeOnly />
              <span className={styles.grow}>{line.guest_name || t('common.no_name')}</span>
              <span>{line.room_number ?? line.type_code}</span>
              <span className={styles.faint}>{formatStay(line.check_in, line.check_out, hotel.business_date)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function RoomsSection({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  const catalogue = useRpc('catalogue.get', {});
  if (detail.rooms.length === 0) return null;
  return (
    <Section title={t('stay.rooms')}>
      <ul className={styles.list}>
        {detail.rooms.map((bar) => (
          <li key={bar.id} className={styles.row}>
            <strong>{catalogue.data?.rooms.find((room) => room.id === bar.room_id)?.number ?? ''}</strong>
            <span className={styles.grow}>{formatStay(bar.from, bar.until, hotel.business_date)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function HistorySection({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  return (
    <Section title={t('stay.history')}>
      {detail.history.length === 0 ? <p className={styles.faint}>{t('stay.history_empty')}</p> : null}
      <ul className={styles.list}>
        {detail.history.map((entry) => (
          <li key={`${entry.seq} ${entry.verb}`} className={styles.row}>
            <span className={styles.when}>{formatInstant(entry.at, hotel.time_zone)}</span>
            <span className={styles.grow}>
              {tWord('verb', entry.verb)}
              {entry.reason ? <span className={styles.faint}> · {tWord('why', entry.reason)}</span> : null}
            </span>
            <span className={styles.faint}>{entry.by}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
