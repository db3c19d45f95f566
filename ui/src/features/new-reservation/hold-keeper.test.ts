import { describe, expect, it } from 'vitest';
import type { Command } from '../../generated/Command';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { Problem } from '../../generated/Problem';
import type { ReservationDetail } from '../../generated/ReservationDetail';
import {
  countdown,
  HoldKeeper,
  type HoldPorts,
  type HoldRecord,
  type HoldWish,
  renewAt,
} from './hold-keeper';

const MINUTE = 60_000;
const START = Date.parse('2026-11-30T12:00:00Z');

const wish = (typeId: string, checkIn = '2026-12-01'): HoldWish => ({
  channel: 'desk',
  checkIn,
  checkOut: '2026-12-03',
  rooms: [{ typeId, adults: 2, children: [] }],
});

/** A server with one of everything: counts what is held, answers a repeated command as before. */
class World implements HoldPorts {
  time = START;
  ids = 0;
  sent: string[] = [];
  held = new Map<string, { until: number; typeId: string }>();
  heldAtOnce = 0;
  soldOut = new Set<string>();
  queued = 0;
  renewRefused = false;
  record: HoldRecord | undefined;
  answers = new Map<string, CommandOutcome>();
  timers: { at: number; run: () => void; off: boolean }[] = [];

  newId = () => `id-${(this.ids += 1)}`;
  now = () => this.time;
  load = () => this.record;
  save = (record: HoldRecord | undefined) => {
    this.record = record;
  };
  later = (ms: number, run: () => void) => {
    const timer = { at: this.time + ms, run, off: false };
    this.timers.push(timer);
    return () => {
      timer.off = true;
    };
  };

  async pass(ms: number) {
    await flush();
    const end = this.time + ms;
    for (;;) {
      const due = this.timers
        .filter((timer) => !timer.off && timer.at <= end)
        .sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      due.off = true;
      this.time = due.at;
      due.run();
      await flush();
    }
    this.time = end;
    await flush();
  }

  async submit(id: string, command: Command): Promise<CommandOutcome> {
    await Promise.resolve();
    const before = this.answers.get(id);
    if (before) return before;
    if (this.queued > 0) {
      this.queued -= 1;
      return { outcome: 'queued' };
    }
    const outcome = this.decide(command);
    this.answers.set(id, outcome);
    return outcome;
  }

  private decide(command: Command): CommandOutcome {
    this.sent.push(command.verb);
    if (command.verb === 'hold') {
      const room = command.body.rooms[0];
      const bookingId = command.body.booking_id;
      if (!room || bookingId === null) throw new Error('a hold without ids');
      if (this.soldOut.has(room.room_type_id))
        return { outcome: 'refused', problem: problem('sold_out') };
      const until = this.time + 15 * MINUTE;
      this.held.set(bookingId, { until, typeId: room.room_type_id });
      this.heldAtOnce = Math.max(this.heldAtOnce, this.held.size);
      return {
        outcome: 'done',
        seq: 1,
        answer: {
          seq: 1,
          booking_id: bookingId,
          number: 'AB12',
          expires_at: new Date(until).toISOString(),
          rooms: [
            { reservation_id: room.reservation_id, nights: [{ price: 10_000 }, { price: 12_000 }] },
          ],
        },
      };
    }
    if (command.verb === 'cancel_booking') {
      this.held.delete(command.booking_id);
      return { outcome: 'done', seq: 2, answer: { seq: 2, reservations: [] } };
    }
    if (command.verb === 'renew') {
      const held = this.held.get(command.booking_id);
      if (!held || held.until <= this.time)
        return { outcome: 'refused', problem: problem('hold_expired') };
      if (this.renewRefused) return { outcome: 'refused', problem: problem('invalid') };
      held.until = this.time + 15 * MINUTE;
      return {
        outcome: 'done',
        seq: 3,
        answer: { seq: 3, reservations: [{ hold_expires_at: new Date(held.until).toISOString() }] },
      };
    }
    throw new Error(`not expected: ${command.verb}`);
  }

  async reservation(id: string): Promise<ReservationDetail | undefined> {
    const record = this.record;
    const held = record ? this.held.get(record.bookingId) : undefined;
    if (!record?.reservationIds.includes(id) || !held) return undefined;
    return {
      row: { state: 'held', hold_expires_at: new Date(held.until).toISOString() },
    } as ReservationDetail;
  }
}

function problem(code: Problem['code']): Problem {
  return { type: `urn:nightdesk:problem:${code}`, title: code, status: 409, code } as Problem;
}

async function flush() {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('the hold of the form', () => {
  it('is taken for the type chosen, with ids of its own, and remembered', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    const state = keeper.get();
    expect(state).toMatchObject({ phase: 'held', record: { number: 'AB12', prices: [22_000] } });
    expect(world.record?.bookingId).toBe([...world.held.keys()][0]);
  });

  it('b10_changing_the_mind_gives_the_old_one_back_first_and_never_holds_two', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    await keeper.want(wish('dlx'));
    await keeper.want(wish('dlx', '2026-12-02'));
    expect(world.sent).toEqual(['hold', 'cancel_booking', 'hold', 'cancel_booking', 'hold']);
    expect(world.heldAtOnce).toBe(1);
    expect([...world.held.values()].map((held) => held.typeId)).toEqual(['dlx']);
  });

  it('ends five quick choices in one hold for the last', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    for (const type of ['a', 'b', 'c', 'd', 'e']) void keeper.want(wish(type));
    await keeper.settled();
    expect(world.heldAtOnce).toBe(1);
    expect([...world.held.values()].map((held) => held.typeId)).toEqual(['e']);
    expect(keeper.get()).toMatchObject({ phase: 'held', record: { wish: wish('e') } });
  });

  it('keeps the hold when only the guests in the room change', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    await keeper.want({ ...wish('std'), rooms: [{ typeId: 'std', adults: 1, children: [4] }] });
    expect(world.sent).toEqual(['hold']);
  });

  it('does nothing when the same is chosen again', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    await keeper.want(wish('std'));
    expect(world.sent).toEqual(['hold']);
  });

  it('b10_a_reload_finds_the_same_hold_again', async () => {
    const world = new World();
    const before = new HoldKeeper(world);
    await before.want(wish('dlx'));
    before.stop();
    world.time += 30_000;
    const after = new HoldKeeper(world);
    expect(await after.resume()).toMatchObject({ number: 'AB12', wish: wish('dlx') });
    expect(after.get().phase).toBe('held');
    expect(world.sent).toEqual(['hold']);
    await after.want(wish('std'));
    expect(world.heldAtOnce).toBe(1);
  });

  it('b10_a_reload_before_the_answer_asks_for_the_same_command_again', async () => {
    const world = new World();
    const before = new HoldKeeper(world);
    await before.want(wish('dlx'));
    before.stop();
    const record = world.record;
    if (!record) throw new Error('no record');
    world.record = {
      ...record,
      number: undefined,
      heldAt: undefined,
      expiresAt: undefined,
      prices: [],
    };
    const after = new HoldKeeper(world);
    await after.resume();
    expect(after.get()).toMatchObject({ phase: 'held', record: { bookingId: record.bookingId } });
    expect(world.sent).toEqual(['hold']);
    expect(world.held.size).toBe(1);
  });

  it('does not find again what is just being given back', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    void keeper.release();
    expect(await keeper.resume()).toBeUndefined();
    expect(keeper.get().phase).toBe('none');
  });

  it('forgets a hold that ran out while the program was closed', async () => {
    const world = new World();
    const before = new HoldKeeper(world);
    await before.want(wish('dlx'));
    before.stop();
    world.time += 16 * MINUTE;
    const after = new HoldKeeper(world);
    expect(await after.resume()).toBeUndefined();
    expect(after.get().phase).toBe('none');
    expect(world.record).toBeUndefined();
  });

  it('is renewed silently at two thirds of its time, again and again', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    expect(renewAt(START, START + 15 * MINUTE)).toBe(START + 10 * MINUTE);
    await world.pass(35 * MINUTE);
    expect(world.sent).toEqual(['hold', 'renew', 'renew', 'renew']);
    expect(keeper.get().phase).toBe('held');
  });

  it('shows its end when it can be renewed no longer, and says when it is over', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    world.renewRefused = true;
    await world.pass(13 * MINUTE);
    const state = keeper.get();
    if (state.phase !== 'held') throw new Error(state.phase);
    expect(countdown(state.record.expiresAt, world.time)).toBe(120);
    expect(countdown(state.record.expiresAt, world.time - 1000)).toBeUndefined();
    await world.pass(3 * MINUTE);
    expect(keeper.get()).toEqual({ phase: 'expired', wish: wish('std') });
    expect(world.record).toBeUndefined();
  });

  it('n4_sold_out_is_an_answer_and_leaves_nothing_behind', async () => {
    const world = new World();
    world.soldOut.add('sui');
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    await keeper.want(wish('sui'));
    expect(keeper.get()).toMatchObject({ phase: 'refused', problem: { code: 'sold_out' } });
    expect(world.held.size).toBe(0);
    await keeper.want(wish('std'));
    expect(keeper.get().phase).toBe('held');
  });

  it('asks again when the same rooms are chosen again after a refusal', async () => {
    const world = new World();
    world.soldOut.add('sui');
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('sui'));
    world.soldOut.clear();
    await keeper.want(wish('sui'));
    expect(keeper.get().phase).toBe('held');
  });

  it('is given back when the form is left, also while it is still being taken', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    void keeper.want(wish('std'));
    await keeper.release();
    await keeper.settled();
    expect(world.held.size).toBe(0);
    expect(keeper.get().phase).toBe('none');
  });

  it('b16_waits_for_a_slow_answer_with_the_same_command', async () => {
    const world = new World();
    world.queued = 2;
    const keeper = new HoldKeeper(world);
    void keeper.want(wish('std'));
    await world.pass(5_000);
    expect(keeper.get().phase).toBe('held');
    expect(world.sent).toEqual(['hold']);
  });

  it('gives nothing back once it is a reservation', async () => {
    const world = new World();
    const keeper = new HoldKeeper(world);
    await keeper.want(wish('std'));
    keeper.confirmed();
    await keeper.release();
    expect(world.sent).toEqual(['hold']);
    expect(world.record).toBeUndefined();
  });
});
