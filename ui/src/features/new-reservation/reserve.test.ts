import { describe, expect, it } from 'vitest';
import type { Command } from '../../generated/Command';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { GuestRow } from '../../generated/GuestRow';
import type { Problem } from '../../generated/Problem';
import { NO_GUEST } from './draft';
import { type Ids, reserve, type ReservePorts, type ToReserve } from './reserve';

const what: ToReserve = {
  record: {
    commandId: 'c',
    bookingId: 'b',
    reservationIds: ['r1', 'r2'],
    wish: {
      channel: 'desk',
      checkIn: '2026-12-01',
      checkOut: '2026-12-03',
      rooms: [
        { typeId: 't', adults: 2, children: [] },
        { typeId: 't', adults: 2, children: [] },
      ],
    },
    number: 'M4K7QX',
    heldAt: 0,
    expiresAt: 1,
    prices: [],
  },
  guest: { ...NO_GUEST, name: ' Ana García ', phone: '007123', country: 'es' },
  rooms: [
    { guest: undefined, adults: 2, children: [] },
    { guest: { ...NO_GUEST, name: 'Bea' }, adults: 1, children: [4] },
  ],
  guarantee: 'card',
  expectedTime: '15:30:00',
  notes: '',
};

function desk(
  answer: (command: Command, id: string) => CommandOutcome | undefined = () => undefined,
) {
  const sent: { id: string; command: Command }[] = [];
  let ids = 0;
  const ports: ReservePorts = {
    newId: () => `id-${(ids += 1)}`,
    pause: () => Promise.resolve(),
    submit: (id, command) => {
      sent.push({ id, command });
      return Promise.resolve(
        answer(command, id) ?? {
          outcome: 'done',
          seq: 1,
          answer: {
            seq: 1,
            reservations: [
              { id: 'r1', state: 'confirmed', version: 2, hold_expires_at: null },
              { id: 'r2', state: 'confirmed', version: 3, hold_expires_at: null },
            ],
          },
        },
      );
    },
  };
  return { sent, ports };
}

const refusal = (code: Problem['code']): CommandOutcome => ({
  outcome: 'refused',
  problem: { type: 'x', title: 'x', status: 409, code },
});

describe('reserving', () => {
  it('writes down the guests, promises the rooms, then says who sleeps where', async () => {
    const { sent, ports } = desk();
    const done = await reserve(what, new Map(), ports);
    expect(done).toMatchObject({ ok: true, number: 'M4K7QX', detailsProblem: undefined });
    expect(sent.map(({ command }) => command.verb)).toEqual([
      'put_guest',
      'put_guest',
      'confirm',
      'details',
    ]);
    const [ana, bea, confirm, details] = sent.map(({ command }) => command);
    expect(ana).toMatchObject({
      body: { name: 'Ana García', phone: '007123', country: 'ES', email: null },
    });
    expect(confirm).toMatchObject({
      booking_id: 'b',
      body: {
        guarantee: 'card',
        rooms: [
          {
            reservation_id: 'r1',
            guest_id: (ana as { guest_id: string }).guest_id,
            expected_time: '15:30:00',
          },
          { reservation_id: 'r2', guest_id: (bea as { guest_id: string }).guest_id },
        ],
      },
    });
    expect(details).toMatchObject({
      reservation_id: 'r2',
      body: { version: 3, adults: 1, children: [4] },
    });
  });

  it('takes a profile that was chosen as it is', async () => {
    const { sent, ports } = desk();
    const profile = { id: 'g7', name: 'Ana' } as GuestRow;
    await reserve(
      { ...what, guest: { ...NO_GUEST, profile, name: 'Ana' }, rooms: [] },
      new Map(),
      ports,
    );
    expect(sent.map(({ command }) => command.verb)).toEqual(['confirm']);
    expect(sent[0]?.command).toMatchObject({
      body: { rooms: [{ guest_id: 'g7' }, { guest_id: 'g7' }] },
    });
  });

  it('b16_pressing_again_sends_the_same_commands_and_makes_no_second_guest', async () => {
    const ids: Ids = new Map();
    const first = desk();
    await reserve(what, ids, first.ports);
    const second = desk();
    await reserve(what, ids, second.ports);
    expect(second.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
  });

  it('waits for an answer that is queued, with the same command', async () => {
    let asked = 0;
    const { sent, ports } = desk((command) =>
      command.verb === 'confirm' && (asked += 1) < 3 ? { outcome: 'queued' } : undefined,
    );
    const done = await reserve(what, new Map(), ports);
    expect(done.ok).toBe(true);
    expect(
      new Set(sent.filter(({ command }) => command.verb === 'confirm').map(({ id }) => id)).size,
    ).toBe(1);
  });

  it('n7_says_that_the_hold_has_run_out_and_is_a_new_command_when_tried_again', async () => {
    const ids: Ids = new Map();
    const late = desk((command) =>
      command.verb === 'confirm' ? refusal('hold_expired') : undefined,
    );
    expect(await reserve(what, ids, late.ports)).toMatchObject({
      ok: false,
      step: 'confirm',
      problem: { code: 'hold_expired' },
    });
    const again = desk();
    await reserve(what, ids, again.ports);
    const confirmId = (list: typeof late.sent) =>
      list.find(({ command }) => command.verb === 'confirm')?.id;
    const guestId = (list: typeof late.sent) =>
      list.find(({ command }) => command.verb === 'put_guest')?.id;
    expect(confirmId(again.sent)).not.toBe(confirmId(late.sent));
    expect(guestId(again.sent)).toBe(guestId(late.sent));
  });

  it('is reserved all the same when only the party could not be written down', async () => {
    const { ports } = desk((command) =>
      command.verb === 'details' ? refusal('stale_version') : undefined,
    );
    expect(await reserve(what, new Map(), ports)).toMatchObject({
      ok: true,
      detailsProblem: { code: 'stale_version' },
    });
  });
});
