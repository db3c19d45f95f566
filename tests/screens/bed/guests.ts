// Guests of the demonstration hotel, picked by what a flow needs.

import type { ReservationDetail } from '../../../ui/src/generated/ReservationDetail';
import type { StayLine } from '../../../ui/src/generated/StayLine';
import type { SuggestAnswer } from '../../../ui/src/generated/SuggestAnswer';
import type { Suggestion } from '../../../ui/src/generated/Suggestion';
import type { Today } from '../../../ui/src/generated/Today';
import type { Desk } from './desk';

export interface Normal {
  line: StayLine;
  /** What is suggested, best first. */
  rooms: readonly Suggestion[];
}

/** Somebody due in, alone in a booking, whose first suggested rooms are ready and of the booked type. */
export async function normalGuest(desk: Desk, ready = 1): Promise<Normal> {
  const today = await desk.rpc<Today>('today.get', {});
  for (const line of today.due_in) {
    if (line.guest_name === '' || line.party_rooms !== 1) continue;
    const { rooms } = await desk.rpc<SuggestAnswer>('room.suggest', { reservation_id: line.id, limit: 5 });
    const asked = rooms.slice(0, ready);
    if (asked.length === ready && asked.every((one) => one.ready && one.type_code === line.type_code)) {
      return { line, rooms };
    }
  }
  throw new Error(`none of ${today.due_in.length} due in can be checked in without a question`);
}

export function reservation(desk: Desk, id: string): Promise<ReservationDetail> {
  return desk.rpc<ReservationDetail>('reservation.get', { id });
}
