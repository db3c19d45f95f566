// From the form to a reservation: guests first, then the promise, then who sleeps where. Each step is a
// command with an id of its own that is kept while the form says the same, so that pressing again, or an
// answer that was lost, never does a thing twice (B16).
import type { Command } from '../../generated/Command';
import type { CommandAnswer } from '../../generated/CommandAnswer';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { Problem } from '../../generated/Problem';
import { sameDetails } from '../../shared/details';
import type { GuestDraft } from './draft';
import type { HoldRecord } from './hold-keeper';

export interface RoomToReserve {
  /** Its own guest; the booking's where absent. */
  guest: GuestDraft | undefined;
  adults: number;
  children: number[];
}

export interface ToReserve {
  record: HoldRecord;
  guest: GuestDraft;
  rooms: RoomToReserve[];
  guarantee: 'none' | 'card' | 'deposit' | 'prepaid' | 'company' | 'agent';
  expectedTime: string | undefined;
  notes: string;
}

export type Reserved =
  | { ok: true; number: string; reservationIds: string[]; detailsProblem: Problem | undefined }
  | { ok: false; step: 'guest' | 'confirm'; problem: Problem };

/** Ids of the commands and guests of this form, by what they say. */
export type Ids = Map<string, string>;

export interface ReservePorts {
  submit(id: string, command: Command): Promise<CommandOutcome>;
  newId(): string;
  /** Between two questions for an answer that has not come. */
  pause(): Promise<void>;
}

export async function reserve(what: ToReserve, ids: Ids, ports: ReservePorts): Promise<Reserved> {
  const idOf = (key: string): string => {
    let id = ids.get(key);
    if (id === undefined) ids.set(key, (id = ports.newId()));
    return id;
  };
  const ask = async (command: Command): Promise<CommandOutcome> => {
    const id = idOf(`command ${JSON.stringify(command)}`);
    for (;;) {
      const outcome = await ports.submit(id, command);
      if (outcome.outcome === 'refused') ids.delete(`command ${JSON.stringify(command)}`);
      if (outcome.outcome !== 'queued') return outcome;
      await ports.pause();
    }
  };

  const put = async (guest: GuestDraft): Promise<{ id: string } | { problem: Problem }> => {
    if (guest.profile) return { id: guest.profile.id };
    const id = idOf(`guest ${JSON.stringify(guest)}`);
    const outcome = await ask({
      verb: 'put_guest',
      guest_id: id,
      body: {
        version: null,
        name: guest.name.trim(),
        email: orNull(guest.email),
        phone: orNull(guest.phone),
        company: orNull(guest.company),
        language: orNull(guest.language)?.toLowerCase() ?? null,
        country: orNull(guest.country)?.toUpperCase() ?? null,
        notes: guest.notes.trim(),
        vip: false,
      },
    });
    return outcome.outcome === 'refused' ? { problem: outcome.problem } : { id };
  };

  const main = await put(what.guest);
  if ('problem' in main) return { ok: false, step: 'guest', problem: main.problem };
  const guestIds: string[] = [];
  for (const room of what.rooms) {
    const own = room.guest ? await put(room.guest) : main;
    if ('problem' in own) return { ok: false, step: 'guest', problem: own.problem };
    guestIds.push(own.id);
  }

  const { record } = what;
  const confirmed = await ask({
    verb: 'confirm',
    booking_id: record.bookingId,
    body: {
      guarantee: what.guarantee,
      rooms: record.reservationIds.map((reservationId, index) => ({
        reservation_id: reservationId,
        guest_id: guestIds[index] ?? main.id,
        further_guest_ids: [],
        notes: what.notes.trim() === '' ? null : what.notes.trim(),
        expected_time: what.expectedTime ?? null,
      })),
    },
  });
  if (confirmed.outcome === 'refused')
    return { ok: false, step: 'confirm', problem: confirmed.problem };

  // The rooms were held for a party as it was known then; what has changed since touches no night.
  let detailsProblem: Problem | undefined;
  const now = confirmed.outcome === 'done' ? (confirmed.answer as CommandAnswer).reservations : [];
  for (const [index, room] of what.rooms.entries()) {
    const held = record.wish.rooms[index];
    const reservationId = record.reservationIds[index];
    if (!held || reservationId === undefined) continue;
    if (
      held.adults === room.adults &&
      JSON.stringify(held.children) === JSON.stringify(room.children)
    )
      continue;
    const outcome = await ask({
      verb: 'details',
      reservation_id: reservationId,
      body: {
        ...sameDetails(now.find((one) => one.id === reservationId)?.version ?? 0),
        adults: room.adults,
        children: room.children,
      },
    });
    if (outcome.outcome === 'refused') detailsProblem = outcome.problem;
  }
  return {
    ok: true,
    number: record.number ?? '',
    reservationIds: record.reservationIds,
    detailsProblem,
  };
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
