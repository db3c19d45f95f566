import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReservationDetail } from '../../generated/ReservationDetail';
import type { Suggestion } from '../../generated/Suggestion';
import { t } from '../../i18n';
import { useAct } from '../../shared/act';
import { sameDetails } from '../../shared/details';
import { Button, Empty, Facts, ProblemNote, StateMark, type ListHandle } from '../../shared/controls';
import {
  formatDate,
  formatMoney,
  formatParty,
  formatStay,
  formatTime,
} from '../../shared/format';
import { GuestFacts, GuestForm } from '../../shared/guests';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { isOccupied, isUpgrade, SuggestionList } from '../../shared/rooms';
import { navigate, useRoute } from '../../shared/route';
import { call, newId, useRpc, useSubmit } from '../../shared/rpc';
import styles from './CheckIn.module.css';

/** From the guest to the room, left to right; Enter does it. */
export function CheckIn() {
  const route = useRoute();
  const id = route.parts[0] ?? '';
  const list = route.query.get('list') ?? 'due_in';
  const detail = useRpc('reservation.get', { id }, { enabled: id !== '' });
  const back = () => navigate('today', [list], { replace: true });
  useHotkey('back', () => {
    back();
    return true;
  });
  if (id === '') return <Empty title={t('place.unknown')} />;
  if (detail.error) {
    return (
      <div className={styles.trouble}>
        <ProblemNote problem={detail.error.problem}>
          <Button onPress={back}>{t('common.back')}</Button>
        </ProblemNote>
      </div>
    );
  }
  if (!detail.data) return null;
  return <Desk key={id} detail={detail.data} onBack={back} />;
}

function Desk({ detail, onBack }: { detail: ReservationDetail; onBack: () => void }) {
  const { hotel } = useHouse();
  const queries = useQueryClient();
  const { line } = detail;
  const [writing, setWriting] = useState(false);
  const [picked, setPicked] = useState<string | null>(null);
  const [asksDirty, setAsksDirty] = useState(false);
  const rooms = useRef<ListHandle>(null);
  const act = useAct();
  const upgrade = useSubmit();

  const due = line.state === 'confirmed' && line.check_in <= hotel.business_date;
  const suggested = useRpc('room.suggest', { reservation_id: line.id, limit: 5 }, { enabled: due });
  const list = suggested.data?.rooms ?? [];
  const chosen = list.find((one) => one.room.id === picked) ?? list[0] ?? null;
  const occupied = chosen !== null && isOccupied(chosen);
  const name = line.guest_name || t('common.no_name');
  const problem = upgrade.problem ?? act.problem;

  // Escape first leaves the question, or the guest's form.
  useHotkey(
    'back',
    () => {
      setAsksDirty(false);
      setWriting(false);
      rooms.current?.focus();
      return true;
    },
    asksDirty || writing,
  );

  const checkIn = async (suggestion: Suggestion | null, dirtyAccepted: boolean) => {
    if (!due || act.busy || upgrade.busy || !suggested.isSuccess || occupied) return;
    const dirty = suggestion?.room.status === 'dirty';
    if (dirty && !dirtyAccepted) {
      setAsksDirty(true);
      return;
    }
    if (suggestion && suggestion.room.room_type_id !== line.room_type_id) {
      const outcome = await upgrade.submit({
        verb: 'upgrade',
        reservation_id: line.id,
        body: { room_type_id: suggestion.room.room_type_id, reason: 'courtesy' },
      });
      if (outcome.outcome === 'refused') return;
    }
    const said = suggestion
      ? t('check_in.done', { name, room: suggestion.room.number })
      : t('check_in.done_without', { name });
    const done = await act.run(
      {
        verb: 'check_in',
        reservation_id: line.id,
        body: { room_id: suggestion?.room.id ?? null, room_not_ready_accepted: dirtyAccepted },
      },
      said,
    );
    if (!done) {
      setAsksDirty(false);
      rooms.current?.focus();
      return;
    }
    // The list must have let go of this guest before the focus is back in it, on the next one.
    await queries.fetchQuery({ queryKey: ['today.get', {}], queryFn: () => call('today.get', {}), staleTime: 0 });
    onBack();
  };

  const take = (suggestion: Suggestion | null) => void checkIn(suggestion, asksDirty);

  return (
    <div className={styles.checkIn} data-testid="check-in">
      <header className={styles.head}>
        <h1 className={styles.title}>{name}</h1>
        <StateMark state={line.state} />
        <span>{formatStay(line.check_in, line.check_out, hotel.business_date)}</span>
        <span className={styles.faint}>{line.number}</span>
      </header>
      {due ? null : (
        <p className={styles.notNow}>
          {line.state === 'confirmed'
            ? t('check_in.not_due', { day: formatDate(line.check_in, hotel.business_date) })
            : t('check_in.not_now', { state: t(`state.${line.state}`) })}
        </p>
      )}
      <div className={styles.columns}>
        <section className={styles.column} aria-label={t('guest.title')}>
          <h2 className={styles.columnTitle}>{t('guest.title')}</h2>
          <Guest detail={detail} writing={writing} onWriting={setWriting} />
        </section>
        <section className={styles.column} aria-label={t('stay.title')}>
          <h2 className={styles.columnTitle}>{t('stay.title')}</h2>
          <Stay detail={detail} />
        </section>
        <section className={`${styles.column} ${styles.rooms}`} aria-label={t('check_in.room')}>
          <h2 className={styles.columnTitle}>{t('rooms.suggested')}</h2>
          {due && suggested.isSuccess ? (
            <SuggestionList
              rooms={list}
              chosen={chosen?.room.id ?? null}
              onChoose={(roomId) => {
                setPicked(roomId);
                setAsksDirty(false);
              }}
              onTake={take}
              handle={rooms}
              autoFocus
            />
          ) : null}
        </section>
      </div>
      {problem ? (
        <div className={styles.problem}>
          <ProblemNote problem={problem} about={t('check_in.title')} />
        </div>
      ) : null}
      <footer className={styles.foot}>
        <span className={styles.balance} data-testid="check-in-balance">
          {line.balance === 0
            ? t('check_in.paid')
            : `${t('check_in.balance')} ${formatMoney(line.balance, hotel.currency)}`}
        </span>
        <span className={styles.faint}>{t(`guarantee.${line.guarantee}`)}</span>
        <span className={styles.gap} />
        {asksDirty && chosen ? (
          <>
            <span className={styles.ask} role="alert">
              {t('check_in.dirty', { room: chosen.room.number })}
            </span>
            <Button
              onPress={() => {
                setAsksDirty(false);
                rooms.current?.focus();
              }}
            >
              {t('check_in.dirty_other')}
            </Button>
          </>
        ) : (
          <>
            {chosen && occupied ? (
              <span className={styles.ask} role="alert" data-testid="check-in-occupied">
                {t('check_in.occupied', { room: chosen.room.number })}
              </span>
            ) : chosen && isUpgrade(chosen) ? (
              <span className={styles.faint}>
                {t('check_in.charged', { given: chosen.type_code, booked: line.type_code })}
              </span>
            ) : null}
            <Button onPress={onBack} hotkey="back">
              {t('common.back')}
            </Button>
          </>
        )}
        <Button
          kind="primary"
          isDisabled={!due || act.busy || upgrade.busy || !suggested.isSuccess || occupied}
          onPress={() => take(chosen)}
          data-testid="check-in-button"
        >
          {asksDirty ? t('check_in.dirty_do') : buttonText(chosen, line.type_code)}
          <kbd>↵</kbd>
        </Button>
      </footer>
    </div>
  );
}

function buttonText(chosen: Suggestion | null, booked: string): string {
  if (!chosen) return t('check_in.do_without');
  return chosen.type_code === booked
    ? t('check_in.do', { room: chosen.room.number })
    : t('check_in.do_upgrade', { type: chosen.type_code, room: chosen.room.number });
}

interface GuestProps {
  detail: ReservationDetail;
  writing: boolean;
  onWriting: (on: boolean) => void;
}

function Guest({ detail, writing, onWriting }: GuestProps) {
  const { guest, further_guests: further, row } = detail;
  const act = useAct();
  const [newGuestId] = useState(newId);
  if (writing) {
    return (
      <GuestForm
        guest={guest}
        problem={act.problem}
        onSubmit={async (body) => {
          const guest_id = guest?.id ?? newGuestId;
          const said = t('stay.edit.guest_done', { name: body.name });
          if (!(await act.run({ verb: 'put_guest', guest_id, body }, said))) return;
          if (!guest) {
            await act.submit({
              verb: 'details',
              reservation_id: row.id,
              body: { ...sameDetails(row.version), guest_id },
            });
          }
          onWriting(false);
        }}
      >
        {act.problem ? <ProblemNote problem={act.problem} /> : null}
        <Button onPress={() => onWriting(false)}>{t('common.back')}</Button>
        <Button kind="primary" type="submit" isDisabled={act.busy}>
          {t('common.save')}
        </Button>
      </GuestForm>
    );
  }
  return (
    <div className={styles.stack}>
      {guest ? (
        <>
          <p className={styles.name}>{guest.name}</p>
          <GuestFacts guest={guest} />
        </>
      ) : (
        <p className={styles.faint}>{t('guest.none')}</p>
      )}
      {further.length > 0 ? (
        <Facts rows={[[t('guest.further'), further.map((one) => one.name).join(', ')]]} />
      ) : null}
      <div>
        <Button onPress={() => onWriting(true)} data-testid="check-in-guest">
          {guest ? t('guest.edit') : t('guest.write')}
        </Button>
      </div>
    </div>
  );
}

function Stay({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  const { line, row, booking } = detail;
  return (
    <div className={styles.stack}>
      <Facts
        rows={[
          [t('stay.dates'), formatStay(line.check_in, line.check_out, hotel.business_date)],
          [t('stay.type'), line.type_code],
          [t('stay.party'), formatParty(line.adults, line.children)],
          line.party_rooms > 1 && [t('stay.rooms'), t('stay.party_of', { count: line.party_rooms })],
          line.expected_time !== null && [t('stay.expected'), formatTime(line.expected_time)],
          [t('stay.guarantee'), t(`guarantee.${line.guarantee}`)],
          [t('stay.total'), formatMoney(line.total, hotel.currency)],
          [t('stay.channel'), t(`channel.${booking.channel}`)],
        ]}
      />
      {row.notes !== '' ? (
        <div className={styles.heed}>
          <p className={styles.heedTitle}>{t('check_in.heed')}</p>
          <p>{row.notes}</p>
        </div>
      ) : null}
    </div>
  );
}
