import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { Guarantee } from '../../generated/Guarantee';
import type { Problem } from '../../generated/Problem';
import { t } from '../../i18n';
import { Button, Kbd, ProblemNote, Select, TextField } from '../../shared/controls';
import { addDays } from '../../shared/days';
import { formatClock, formatMoney, formatStay } from '../../shared/format';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { navigate, useRoute } from '../../shared/route';
import { newId, useRpc } from '../../shared/rpc';
import type { Alternative } from './alternatives';
import { Done, type DoneFacts } from './Done';
import {
  type Draft,
  emptyDraft,
  loadDraft,
  NO_GUEST,
  readAges,
  readTime,
  type RoomDraft,
  saveDraft,
} from './draft';
import { GuestPanel } from './GuestPanel';
import { type HoldWish, sameWish } from './hold-keeper';
import { HoldNote } from './HoldNote';
import { Instead } from './Instead';
import { keeper, submitOnce } from './keeper';
import { type Ids, reserve } from './reserve';
import { RoomsParty } from './RoomsParty';
import { StayLineField } from './StayLine';
import { readStay, writeStay } from './stay-text';
import { TypeRows } from './TypeRows';
import { useCountdown, useHold } from './useHold';
import { ADULTS_USUAL, escaped, soldNights, wishOf } from './wish';
import styles from './new.module.css';

const GUARANTEES: readonly Guarantee[] = ['none', 'card', 'deposit', 'prepaid', 'company', 'agent'];
/** Between two questions for an answer that has not come. */
const PAUSE_MS = 1_500;

export function NewReservation() {
  const { hotel, status } = useHouse();
  const { query } = useRoute();
  const walkIn = query.get('walk_in') === '1';
  const businessDate = hotel.business_date;
  const offlineSince = status.sync.phase === 'offline' ? status.sync.since : undefined;
  const offline = offlineSince !== undefined;

  const catalogue = useRpc('catalogue.get', {});
  const types = useMemo(
    () => (catalogue.data?.types ?? []).filter((type) => type.active),
    [catalogue.data],
  );
  const [draft, setDraft] = useState<Draft>(() => begin(query, walkIn));
  const change = (part: Partial<Draft>) =>
    setDraft((before) => {
      const next = { ...before, ...part };
      saveDraft(next);
      return next;
    });

  const [strict, setStrict] = useState(false);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [done, setDone] = useState<DoneFacts | undefined>(undefined);
  const [resumed, setResumed] = useState(false);
  const ids = useRef<Ids>(new Map());
  const busyNow = useRef(false);
  const line = useRef<HTMLInputElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const terms = useRef<HTMLElement>(null);

  const hold = useHold(() => busyNow.current);
  const record = hold.phase === 'held' ? hold.record : undefined;
  const seconds = useCountdown(record);

  // --- what is asked for ---------------------------------------------------------------------------
  const reading = useMemo(
    () => readStay(draft.line, { today: businessDate, types }),
    [draft.line, businessDate, types],
  );
  const stay = reading.ok ? reading.stay : undefined;
  const roomCount = stay?.rooms.reduce((sum, room) => sum + room.count, 0) ?? 1;
  const wanted = useMemo(() => {
    const found = new Map<string, number>();
    for (const wish of stay?.rooms ?? [])
      if (wish.typeId !== undefined) found.set(wish.typeId, wish.count);
    return found;
  }, [stay]);
  const allTyped = stay !== undefined && stay.rooms.every((room) => room.typeId !== undefined);
  const wish =
    stay && (allTyped || draft.typeId !== undefined)
      ? wishOf(stay, draft.typeId, walkIn, types)
      : undefined;
  const ready = record !== undefined && sameWish(record.wish, wish);

  const asked = useDeferredValue(stay);
  const quote = useRpc(
    'quote.get',
    {
      check_in: asked?.checkIn ?? businessDate,
      check_out: asked?.checkOut ?? addDays(businessDate, 1),
      rooms: asked?.rooms.reduce((sum, room) => sum + room.count, 0) ?? 1,
    },
    { enabled: asked !== undefined, keepPrevious: true },
  );

  // --- the hold --------------------------------------------------------------------------------------
  useEffect(() => {
    if (types.length === 0) return;
    void keeper.resume().then((found) => {
      if (!found || sameWish(found.wish, wish)) {
        if (found) setResumed(true);
        return;
      }
      setResumed(true);
      const counts = new Map<string, number>();
      for (const room of found.wish.rooms)
        counts.set(room.typeId, (counts.get(room.typeId) ?? 0) + 1);
      const wishes = [...counts].map(([typeId, count]) => ({ typeId, count }));
      change({
        line: writeStay(found.wish.checkIn, found.wish.checkOut, wishes, types),
        typeId: wishes[0]?.typeId,
      });
    });
    // Once, as soon as the types are known by which the line is written.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [types.length > 0]);

  useEffect(() => {
    if (
      !document.activeElement ||
      document.activeElement === document.body ||
      document.activeElement.matches('main')
    ) {
      line.current?.focus();
      // What was typed before is kept, and gives way to what is typed now.
      line.current?.select();
    }
  }, []);

  const take = (next: HoldWish) => {
    setProblem(undefined);
    setResumed(false);
    if (!offline) void keeper.want(next);
  };
  /** Whether by what this desk knows a type has not as many left as are wanted: the answer will be no. */
  const isShort = (asked: HoldWish): boolean => {
    const held = record?.wish.rooms ?? [];
    return (quote.data?.types ?? []).some(({ room_type: { id }, left }) => {
      const count = (wished: HoldWish['rooms']) => wished.filter((room) => room.typeId === id).length;
      // What this form holds already counts as sold.
      return count(asked.rooms) > Math.max(0, left) + count(held);
    });
  };
  const choose = (typeId: string) => {
    if (!stay) return;
    const other = wanted.size > 0 && !wanted.has(typeId);
    if (other) {
      const text = writeStay(stay.checkIn, stay.checkOut, [{ count: roomCount, typeId }], types);
      change({ line: text, typeId });
      take(wishOf({ ...stay, rooms: [{ count: roomCount, typeId }] }, typeId, walkIn, types));
    } else {
      change({ typeId });
      take(wishOf(stay, typeId, walkIn, types));
    }
    // Where nothing is left by what this desk knows, the answer will be no: stay and choose another.
    const known = quote.data?.types.find((type) => type.room_type.id === typeId);
    if (known && known.left >= roomCount) name.current?.focus();
  };
  // The rows may still be on their way when Enter is pressed: then they take the focus when they come.
  const rowsWanted = useRef(false);
  const focusRows = () => {
    rowsWanted.current = rows.current === null;
    rows.current?.focus();
  };
  useEffect(() => {
    if (!rowsWanted.current || !quote.data) return;
    rowsWanted.current = false;
    rows.current?.focus();
  }, [quote.data]);
  const commitLine = () => {
    setStrict(true);
    if (!wish) {
      if (stay) focusRows();
      return;
    }
    take(wish);
    // Where nothing is left the next thing is another type, not the guest's name.
    if (isShort(wish)) focusRows();
    else name.current?.focus();
  };
  const leaveLine = () => {
    if (draft.line.trim() !== '') setStrict(true);
    // Other dates or another type than held: swapped at once, so that what is seen is what is held.
    if (wish && (record || allTyped) && hold.phase !== 'refused') take(wish);
  };
  const takeAlternative = (offer: Alternative) => {
    const rooms = [{ count: roomCount, typeId: offer.typeId }];
    change({ line: writeStay(offer.checkIn, offer.checkOut, rooms, types), typeId: offer.typeId });
    if (stay)
      take(
        wishOf(
          { ...stay, checkIn: offer.checkIn, checkOut: offer.checkOut, rooms },
          offer.typeId,
          walkIn,
          types,
        ),
      );
    name.current?.focus();
  };
  // Chosen while the server was away: held as soon as it is back.
  useEffect(() => {
    if (!offline && wish && hold.phase === 'none' && draft.typeId !== undefined && !done)
      void keeper.want(wish);
    // Only when the line comes back.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [offline]);

  // --- who -------------------------------------------------------------------------------------------
  const wishRooms = wish?.rooms ?? [];
  const rooms: RoomDraft[] = Array.from({ length: Math.max(1, wishRooms.length) }, (_, index) => ({
    ...(draft.rooms[index] ?? {
      guest: NO_GUEST,
      adults: stay?.adults ?? wishRooms[index]?.adults ?? ADULTS_USUAL,
      ages: '',
    }),
  }));
  const typeFacts = rooms.map((_, index) => {
    const type = types.find((one) => one.id === wishRooms[index]?.typeId);
    return { code: type?.code ?? '', max: type?.max_occupancy ?? Number.POSITIVE_INFINITY };
  });
  const setRoom = (index: number, room: RoomDraft) => {
    const next = [...rooms];
    next[index] = room;
    change({ rooms: next });
  };

  const timeBad = draft.expected.trim() !== '' && readTime(draft.expected) === undefined;
  const agesBad = rooms.some((room) => readAges(room.ages) === undefined || room.adults < 1);
  const nameBad = draft.guest.profile === undefined && draft.guest.name.trim() === '';

  const pressReserve = () => {
    setTried(true);
    if (busyNow.current) return;
    if (!ready || !record) {
      if (wish && hold.phase !== 'taking') take(wish);
      else if (!wish) (stay ? rows.current : line.current)?.focus();
      setStrict(true);
      return;
    }
    if (nameBad) {
      name.current?.focus();
      return;
    }
    if (timeBad || agesBad) return;
    busyNow.current = true;
    setBusy(true);
    setProblem(undefined);
    const about = [
      draft.guest.name.trim(),
      rooms.length > 1 ? t('common.rooms', { count: rooms.length }) : (typeFacts[0]?.code ?? ''),
      formatStay(record.wish.checkIn, record.wish.checkOut, businessDate),
      formatMoney(
        record.prices.reduce((sum, price) => sum + price, 0),
        hotel.currency,
      ),
    ].join(' · ');
    void reserve(
      {
        record,
        guest: draft.guest,
        rooms: rooms.map((room) => ({
          guest: room.guest.profile || room.guest.name.trim() !== '' ? room.guest : undefined,
          adults: room.adults,
          children: readAges(room.ages) ?? [],
        })),
        guarantee: draft.guarantee,
        expectedTime: readTime(draft.expected),
        notes: draft.notes,
      },
      ids.current,
      {
        submit: submitOnce,
        newId: () => newId(),
        pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
      },
    )
      .then((outcome) => {
        if (outcome.ok) {
          keeper.confirmed();
          setDone({
            number: outcome.number,
            about,
            reservationId: outcome.reservationIds[0],
            detailsFailed: outcome.detailsProblem !== undefined,
          });
          ids.current = new Map();
          const next = emptyDraft();
          saveDraft(next);
          setDraft(next);
          setStrict(false);
          setTried(false);
          setResumed(false);
          line.current?.focus();
          return;
        }
        if (outcome.problem.code === 'hold_expired') keeper.lost();
        else setProblem(outcome.problem);
      })
      .finally(() => {
        busyNow.current = false;
        setBusy(false);
      });
  };

  useHotkey('reserve', pressReserve);
  useHotkey('back', () => navigate('today'));

  const soldOut =
    hold.phase === 'refused' && hold.problem.code === 'sold_out' && stay && quote.data
      ? hold
      : undefined;
  // Of several types it is not known which of them to replace: then the server's own words say what is full.
  const soldTypes = new Set(soldOut?.wish.rooms.map((room) => room.typeId));
  const soldType = soldTypes.size === 1 ? soldOut?.wish.rooms[0]?.typeId : undefined;
  const heldTypes = new Set(
    record && sameWish(record.wish, wish) ? record.wish.rooms.map((room) => room.typeId) : [],
  );
  const missing =
    tried && !busy
      ? !ready
        ? t('new.need_hold')
        : nameBad
          ? t('new.need_name')
          : undefined
      : undefined;

  return (
    <form
      className={styles.place}
      data-testid="new-reservation"
      onSubmit={(event) => {
        event.preventDefault();
        pressReserve();
      }}
    >
      <div className={styles.columns}>
        <div className={styles.main}>
          {done ? <Done done={done} /> : null}
          {offlineSince === undefined ? null : (
            <p className={styles.offline} role="status" data-testid="new-offline">
              {t('new.offline', { time: formatClock(offlineSince, hotel.time_zone) })}
            </p>
          )}
          <StayLineField
            line={draft.line}
            reading={reading}
            businessDate={businessDate}
            strict={strict}
            onLine={(text) => {
              change({ line: text });
              setStrict(false);
            }}
            onPick={(checkIn, checkOut) => {
              const kept = stay?.rooms ?? [{ count: 1, typeId: draft.typeId }];
              change({ line: writeStay(checkIn, checkOut, kept, types) });
              setStrict(true);
              if (stay && wish) take({ ...wish, checkIn, checkOut });
              else focusRows();
            }}
            onRepair={(day) => {
              if (reading.ok || !('text' in reading.problem)) return;
              change({
                line: draft.line.replace(new RegExp(escaped(reading.problem.text), 'i'), day),
              });
              line.current?.focus();
            }}
            onEnter={commitLine}
            onBlur={leaveLine}
            inputRef={line}
          />

          {stay && quote.data ? (
            <TypeRows
              quote={quote.data}
              rooms={roomCount}
              wanted={wanted}
              chosen={draft.typeId}
              held={heldTypes}
              heldText={t('new.hold.held')}
              onChoose={choose}
              listRef={rows}
            />
          ) : (
            <p className={styles.wait}>{t('new.types_wait')}</p>
          )}
          {quote.error && stay ? <ProblemNote problem={quote.error.problem} /> : null}
          {soldOut && stay && quote.data && soldType !== undefined ? (
            <Instead
              quote={quote.data}
              businessDate={businessDate}
              checkIn={soldOut.wish.checkIn}
              checkOut={soldOut.wish.checkOut}
              typeId={soldType}
              rooms={soldOut.wish.rooms.length}
              persons={rooms[0]?.adults ?? ADULTS_USUAL}
              nights={soldNights(
                soldOut.problem,
                quote.data.types.find((type) => type.room_type.id === soldType),
                soldOut.wish.rooms.length,
              )}
              onTake={takeAlternative}
            />
          ) : hold.phase === 'refused' ? (
            <ProblemNote problem={hold.problem} />
          ) : null}
          {problem ? <ProblemNote problem={problem} /> : null}

          {wish ? (
            <RoomsParty rooms={rooms} types={typeFacts} onRoom={setRoom} strict={tried} />
          ) : null}
        </div>
        <div className={styles.side}>
          <GuestPanel
            guest={draft.guest}
            onGuest={(guest) => {
              change({ guest });
              // The name's field goes away with the choice: the next one takes the focus, and Enter reserves.
              if (guest.profile) terms.current?.querySelector<HTMLInputElement>('input')?.focus();
            }}
            error={tried && ready && nameBad ? t('new.need_name') : undefined}
            nameRef={name}
            onEnter={pressReserve}
          />
          <section className={styles.terms} ref={terms}>
            <Select
              label={t('new.guarantee')}
              choices={GUARANTEES.map((id) => ({ id, text: t(`guarantee.${id}`) }))}
              value={draft.guarantee}
              onChange={(id) =>
                change({ guarantee: GUARANTEES.find((one) => one === id) ?? 'none' })
              }
              data-testid="guarantee"
            />
            <TextField
              label={t('new.expected')}
              value={draft.expected}
              placeholder={t('new.expected_hint')}
              error={tried && timeBad ? t('new.bad_time') : undefined}
              onChange={(expected) => change({ expected })}
              data-testid="expected-time"
            />
            <TextField
              label={t('new.notes')}
              className={styles.wide ?? ''}
              value={draft.notes}
              lines={2}
              onChange={(notes) => change({ notes })}
              data-testid="stay-notes"
            />
          </section>
        </div>
      </div>
      <footer className={styles.foot}>
        <HoldNote
          hold={hold}
          wish={wish}
          datesKnown={stay !== undefined}
          offline={offline}
          seconds={seconds}
          resumed={resumed}
          timeZone={hotel.time_zone}
          types={types}
          onRelease={() => {
            change({ typeId: undefined });
            void keeper.release();
          }}
          onAgain={take}
        />
        <span className={styles.leave}>{t('new.leave')}</span>
        {missing === undefined ? null : <span className={styles.error}>{missing}</span>}
        {record && ready ? (
          <b className={styles.sum}>
            {formatMoney(
              record.prices.reduce((sum, price) => sum + price, 0),
              hotel.currency,
            )}
          </b>
        ) : null}
        <Button
          kind="primary"
          type="submit"
          isDisabled={
            busy || offline || (!ready && !wish) || (hold.phase === 'refused' && wish !== undefined && isShort(wish))
          }
          data-testid="reserve-button"
          className={styles.reserve ?? ''}
        >
          {t(busy ? 'new.reserving' : 'new.reserve')}
          <Kbd hotkey="reserve" />
        </Button>
      </footer>
      <div className="visually-hidden" role="status" aria-live="polite">
        {done ? t('new.done_said', { number: done.number }) : ''}
      </div>
    </form>
  );
}

/** What the form begins with: the draft that was left, or what the chart or the walk-in key asked for. */
function begin(query: URLSearchParams, walkIn: boolean): Draft {
  const kept = loadDraft();
  const from = query.get('from');
  if (from !== null && /^\d{4}-\d{2}-\d{2}$/.test(from)) {
    return { ...kept, line: `${from} 1n`, typeId: query.get('type') ?? undefined };
  }
  if (walkIn && kept.line.trim() === '') return { ...kept, line: 'today 1n' };
  return kept;
}
