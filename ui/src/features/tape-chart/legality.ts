// Whether a stay may go into a room, and if not, why. The desk and the server decide in the end; this is
// what the screen says before the bar is let go.
import type { ChartBar } from '../../generated/ChartBar';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { daysBetween } from '../../shared/days';

export type Refusal =
  | { reason: 'taken'; by: string; number: string; from: string; until: string }
  | { reason: 'out_of_order'; why: string | null; from: string; until: string }
  | { reason: 'wrong_type' }
  | { reason: 'past' }
  | { reason: 'do_not_move' }
  | { reason: 'in_house_needs_room' }
  | { reason: 'hold' }
  | { reason: 'ended' }
  | { reason: 'no_room_here' };

export type Place =
  | { legal: true; act: 'assign' | 'move'; outOfService: boolean }
  | { legal: true; act: 'unassign' }
  | { legal: true; act: 'nothing' }
  | { legal: false; refusal: Refusal };

/** Where a stay is carried to: a room's row, or the lanes of those without a room. */
export type Target =
  { kind: 'room'; room: RoomRow } | { kind: 'unassigned' } | { kind: 'elsewhere' };

const no = (refusal: Refusal): Place => ({ legal: false, refusal });

/** Why a bar cannot be taken up at all; nothing when it can. */
export function heldFast(stay: StayLine, businessDate: string): Refusal | undefined {
  if (stay.state === 'held') return { reason: 'hold' };
  if (stay.state !== 'confirmed' && stay.state !== 'checked_in') return { reason: 'ended' };
  // A guest in house past the day of departure still sits in the room; there is no night left to move.
  if (daysBetween(businessDate, stay.check_out) <= 0 && stay.check_out !== stay.check_in)
    return { reason: 'past' };
  if (stay.do_not_move && stay.room_id !== null) return { reason: 'do_not_move' };
  return undefined;
}

/** From which night on the room changes: from tonight for a guest in house, else from the arrival. */
export function movedFrom(stay: StayLine, businessDate: string): string {
  if (stay.state !== 'checked_in') return stay.check_in;
  return daysBetween(stay.check_in, businessDate) > 0 ? businessDate : stay.check_in;
}

function overlaps(fromA: string, untilA: string, fromB: string, untilB: string): boolean {
  // Ends are exclusive on both sides: a departure day is no night (B19), nor is a period's end (B37).
  return fromA < untilB && fromB < untilA;
}

export function place(
  stay: StayLine,
  target: Target,
  barsOf: (roomId: string) => readonly ChartBar[],
  businessDate: string,
): Place {
  const fast = heldFast(stay, businessDate);
  if (fast) return no(fast);
  if (target.kind === 'elsewhere') return no({ reason: 'no_room_here' });
  if (target.kind === 'unassigned') {
    if (stay.room_id === null) return { legal: true, act: 'nothing' };
    if (stay.state === 'checked_in') return no({ reason: 'in_house_needs_room' });
    return { legal: true, act: 'unassign' };
  }
  const { room } = target;
  if (room.id === stay.room_id) return { legal: true, act: 'nothing' };
  if (room.room_type_id !== stay.room_type_id) return no({ reason: 'wrong_type' });

  const from = movedFrom(stay, businessDate);
  let outOfService = false;
  for (const bar of barsOf(room.id)) {
    if (!overlaps(from, stay.check_out, bar.from, bar.until)) continue;
    if (bar.kind === 'out_of_order') {
      return no({ reason: 'out_of_order', why: bar.reason, from: bar.from, until: bar.until });
    }
    if (bar.kind === 'out_of_service') outOfService = true;
    else if (bar.stay?.id !== stay.id) {
      return no({
        reason: 'taken',
        by: bar.stay?.guest_name ?? '',
        number: bar.stay?.number ?? '',
        from: bar.from,
        until: bar.until,
      });
    }
  }
  return { legal: true, act: stay.room_id === null ? 'assign' : 'move', outOfService };
}
