// Guests of the demonstration hotel, picked by what a flow needs.

import type { ReservationDetail } from '../../../ui/src/generated/ReservationDetail';
import type { StayLine } from '../../../ui/src/generated/StayLine';
import type { SuggestAnswer } from '../../../ui/src/generated/SuggestAnswer';
import type { Suggestion } from '../../../ui/src/generated/Suggestion';
import type { Today } from '../../../ui/src/generated/Today';
import type { Desk } from './desk';

/** Somebody due in whose first suggested room is ready and of the booked type. */
export async function normalGuest(desk: Desk): Promise<{ line: StayLine; first: Suggestion }> {
  const today = await desk.rpc<Today>('today.get', {});
  for (const line of today.due_in) {
    if (line.guest_name === '' || line.party_rooms !== 1) continue;
    const { rooms } = await desk.rpc<SuggestAnswer>('room.suggest', { reservation_id: line.id, limit: 5 });
    const first = rooms[0];
    if (first?.ready && first.type_code === line.type_code) return { line, first };
  }
  throw new Error(`none of ${today.due_in.length} due in can be checked in without a question`);
}

export function reservation(desk: Desk, id: string): Promise<ReservationDetail> {
  return desk.rpc<ReservationDetail>('reservation.get', { id });
}
