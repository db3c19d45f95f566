/**
 * Keeps at most one hold for the form, and keeps it silently: taken when a type is chosen, swapped when
 * dates or type change (the old one is given back first, so that a clerk never competes with himself),
 * renewed at two thirds of its time, found again after a reload (B10), given back when the form is left.
 *
 * It works by comparing what is wanted with what is held, one command at a time, until they agree: five
 * quick changes of mind end in one hold for the last of them. No React, no clock and no rpc of its own.
 */
import type { Channel } from '../../generated/Channel';
import type { Command } from '../../generated/Command';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { HoldAnswer } from '../../generated/HoldAnswer';
import type { Problem } from '../../generated/Problem';
import type { ReservationDetail } from '../../generated/ReservationDetail';

/** Which rooms to hold. Same dates and types are the same hold: who sleeps there is told when reserving. */
export interface HoldWish {
  channel: Channel;
  checkIn: string;
  checkOut: string;
  rooms: { typeId: string; adults: number; children: number[] }[];
}

/** A hold as it is remembered across a reload, written before the command is sent. */
export interface HoldRecord {
  commandId: string;
  bookingId: string;
  reservationIds: string[];
  wish: HoldWish;
  /** Absent while unanswered. */
  number: string | undefined;
  /** When it began and when it ends, ms since 1970; absent while unanswered. */
  heldAt: number | undefined;
  expiresAt: number | undefined;
  /** One room, all nights, minor units, in the order of the rooms. */
  prices: number[];
}

export type HoldState =
  | { phase: 'none' }
  | { phase: 'taking'; wish: HoldWish }
  | { phase: 'held'; record: HoldRecord }
  | { phase: 'releasing' }
  | { phase: 'refused'; wish: HoldWish; problem: Problem }
  | { phase: 'expired'; wish: HoldWish };

export interface HoldPorts {
  submit(id: string, command: Command): Promise<CommandOutcome>;
  reservation(id: string): Promise<ReservationDetail | undefined>;
  newId(): string;
  now(): number;
  /** Calls back once after so many ms; returns how to call it off. */
  later(ms: number, run: () => void): () => void;
  load(): HoldRecord | undefined;
  save(record: HoldRecord | undefined): void;
}

/** Renewed when a third of its time is left. */
export function renewAt(heldAt: number, expiresAt: number): number {
  return heldAt + Math.round(((expiresAt - heldAt) * 2) / 3);
}

/** Seconds to show, or nothing as long as there is no need to look at the clock. */
export function countdown(expiresAt: number | undefined, now: number): number | undefined {
  if (expiresAt === undefined) return undefined;
  const seconds = Math.ceil((expiresAt - now) / 1000);
  return seconds <= COUNTDOWN_SECONDS ? Math.max(0, seconds) : undefined;
}

export const COUNTDOWN_SECONDS = 120;

/** How long to wait before asking again for an answer that has not come. */
const RETRY_MS = 2_000;

export function sameWish(left: HoldWish | undefined, right: HoldWish | undefined): boolean {
  if (!left || !right) return left === right;
  return (
    left.checkIn === right.checkIn &&
    left.checkOut === right.checkOut &&
    left.rooms.length === right.rooms.length &&
    left.rooms.every((room, index) => room.typeId === right.rooms[index]?.typeId)
  );
}

export class HoldKeeper {
  private wanted: HoldWish | undefined;
  private record: HoldRecord | undefined;
  private state: HoldState = { phase: 'none' };
  private readonly listeners = new Set<() => void>();
  private working: Promise<void> | undefined;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly ports: HoldPorts) {}

  get = (): HoldState => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Wants these rooms held instead of whatever is held now. */
  want(wish: HoldWish): Promise<void> {
    this.wanted = wish;
    // Chosen again after a refusal: somebody may have given rooms back since.
    if (this.state.phase === 'refused') this.state = { phase: 'none' };
    return this.work();
  }

  /** Wants nothing held: gives back what is. */
  release(): Promise<void> {
    this.wanted = undefined;
    return this.work();
  }

  /** Resolves when what is held is what is wanted, or cannot be. */
  async settled(): Promise<HoldState> {
    while (this.working) await this.working;
    return this.state;
  }

  /**
   * Finds the hold that a reload or a crash has left (B10). A record without an answer may or may not
   * have reached the server: the same command is sent again and gets the same answer.
   */
  async resume(): Promise<HoldRecord | undefined> {
    // The form is entered again while what was left is still being given back.
    if (this.working) await this.settled();
    const record = this.ports.load();
    if (!record || this.record) return this.record;
    if (record.expiresAt === undefined) {
      this.wanted = record.wish;
      this.record = undefined;
      await this.work(record);
      return this.record;
    }
    const first = record.reservationIds[0];
    const detail = first === undefined ? undefined : await this.ports.reservation(first);
    // Meanwhile the clerk may have begun another one: then the old one is only given back.
    if (detail && detail.row.state === 'held') {
      const expiresAt = detail.row.hold_expires_at
        ? Date.parse(detail.row.hold_expires_at)
        : record.expiresAt;
      if (expiresAt > this.ports.now()) {
        this.record = { ...record, expiresAt };
        this.wanted ??= record.wish;
        this.show({ phase: 'held', record: this.record });
        this.schedule();
        await this.work();
        return this.record;
      }
    }
    this.ports.save(undefined);
    return undefined;
  }

  /** The hold has become a reservation: nothing is to be given back any more. */
  confirmed(): void {
    this.wanted = undefined;
    this.forget();
    this.show({ phase: 'none' });
  }

  /** The server said that the hold is gone (`hold_expired`). */
  lost(): void {
    const wish = this.record?.wish ?? this.wanted;
    this.wanted = undefined;
    this.forget();
    this.show(wish ? { phase: 'expired', wish } : { phase: 'none' });
  }

  /** Stops the timers without giving anything back: the window closes, the hold waits for its resume. */
  stop(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.listeners.clear();
  }

  private work(unanswered?: HoldRecord): Promise<void> {
    this.working ??= this.reconcile(unanswered).finally(() => {
      this.working = undefined;
      // A wish that came in the last moment has seen `working` still set.
      if (!this.agrees()) void this.work();
    });
    return this.working;
  }

  private agrees(): boolean {
    if (this.state.phase === 'refused' && sameWish(this.state.wish, this.wanted)) return true;
    return sameWish(this.record?.wish, this.wanted);
  }

  private async reconcile(unanswered: HoldRecord | undefined): Promise<void> {
    let again = unanswered;
    while (!this.agrees() || again) {
      if (this.record) {
        await this.giveBack(this.record);
      } else if (again) {
        await this.take(again);
        again = undefined;
      } else if (this.wanted) {
        await this.take(this.recordOf(this.wanted));
      } else {
        break;
      }
    }
    if (!this.record && !this.wanted && this.state.phase !== 'expired')
      this.show({ phase: 'none' });
  }

  private recordOf(wish: HoldWish): HoldRecord {
    return {
      commandId: this.ports.newId(),
      bookingId: this.ports.newId(),
      reservationIds: wish.rooms.map(() => this.ports.newId()),
      wish,
      number: undefined,
      heldAt: undefined,
      expiresAt: undefined,
      prices: [],
    };
  }

  private async take(record: HoldRecord): Promise<void> {
    this.ports.save(record);
    this.show({ phase: 'taking', wish: record.wish });
    const outcome = await this.answer(record.commandId, holdCommand(record));
    if (outcome.outcome === 'done') {
      const answer = outcome.answer as HoldAnswer;
      const held: HoldRecord = {
        ...record,
        number: answer.number,
        heldAt: this.ports.now(),
        expiresAt: Date.parse(answer.expires_at),
        prices: answer.rooms.map((room) =>
          room.nights.reduce((sum, night) => sum + night.price, 0),
        ),
      };
      this.record = held;
      this.ports.save(held);
      this.show({ phase: 'held', record: held });
      this.schedule();
      return;
    }
    this.ports.save(undefined);
    if (outcome.outcome === 'refused') {
      const problem = outcome.problem;
      const superseded = !sameWish(this.wanted, record.wish);
      if (superseded) return;
      this.show({ phase: 'refused', wish: record.wish, problem });
    }
  }

  private async giveBack(record: HoldRecord): Promise<void> {
    this.show({ phase: 'releasing' });
    // Whatever the answer, it is not ours afterwards: refused means that it had already ended.
    await this.answer(this.ports.newId(), {
      verb: 'cancel_booking',
      booking_id: record.bookingId,
      body: { reason: 'not_wanted', sharers: null },
    });
    this.forget();
  }

  /**
   * An answer that is one. A queued command is waited for: the same id again asks for what became of it,
   * and is never a second command (B16).
   */
  private async answer(id: string, command: Command): Promise<CommandOutcome> {
    for (;;) {
      const outcome = await this.ports.submit(id, command);
      if (outcome.outcome !== 'queued') return outcome;
      // Giving back may wait in the queue: the desk will send it, and nothing depends on the answer.
      if (command.verb !== 'hold') return outcome;
      await new Promise<void>((resolve) => {
        this.ports.later(RETRY_MS, resolve);
      });
    }
  }

  private schedule(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const record = this.record;
    if (!record || record.heldAt === undefined || record.expiresAt === undefined) return;
    const now = this.ports.now();
    const renew = renewAt(record.heldAt, record.expiresAt);
    if (now < renew) this.cancelTimer = this.ports.later(renew - now, () => void this.renew());
    else
      this.cancelTimer = this.ports.later(Math.max(0, record.expiresAt - now), () => this.ended());
  }

  private async renew(): Promise<void> {
    const record = this.record;
    if (!record) return;
    const outcome = await this.ports.submit(this.ports.newId(), {
      verb: 'renew',
      booking_id: record.bookingId,
      body: { minutes: null },
    });
    if (this.record !== record) return;
    const until = outcome.outcome === 'done' ? renewedUntil(outcome.answer) : undefined;
    if (until !== undefined && record.expiresAt !== undefined && until > record.expiresAt) {
      this.record = { ...record, heldAt: this.ports.now(), expiresAt: until };
      this.ports.save(this.record);
      this.show({ phase: 'held', record: this.record });
      this.schedule();
      return;
    }
    if (outcome.outcome === 'refused' && outcome.problem.code === 'hold_expired') {
      this.lost();
      return;
    }
    // Not renewed (the longest time is used up, or the server is away): it runs to its end, in sight.
    this.schedule();
  }

  private ended(): void {
    if (this.record?.expiresAt !== undefined && this.record.expiresAt <= this.ports.now())
      this.lost();
    else this.schedule();
  }

  private forget(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.record = undefined;
    this.ports.save(undefined);
  }

  private show(state: HoldState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

function renewedUntil(answer: unknown): number | undefined {
  const rooms =
    (answer as { reservations?: { hold_expires_at?: string | null }[] }).reservations ?? [];
  const ends = rooms.flatMap((room) =>
    room.hold_expires_at ? [Date.parse(room.hold_expires_at)] : [],
  );
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

function holdCommand(record: HoldRecord): Command {
  return {
    verb: 'hold',
    body: {
      booking_id: record.bookingId,
      channel: record.wish.channel,
      external_id: null,
      minutes: null,
      rooms: record.wish.rooms.map((room, index) => ({
        reservation_id: record.reservationIds[index] ?? null,
        room_type_id: room.typeId,
        check_in: record.wish.checkIn,
        check_out: record.wish.checkOut,
        adults: room.adults,
        children: room.children,
        guest_id: null,
        rate_plan_id: null,
        price: null,
        segment: null,
        day_use: false,
      })),
    },
  };
}
