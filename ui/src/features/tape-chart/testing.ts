// Things for the tests of this folder.
import type { ChartBar } from '../../generated/ChartBar';
import type { RoomRow } from '../../generated/RoomRow';
import type { RoomTypeRow } from '../../generated/RoomTypeRow';
import type { StayLine } from '../../generated/StayLine';
import { daysBetween } from '../../shared/days';

export function aType(code: string, sort = 0): RoomTypeRow {
  return { id: `t-${code}`, code, name: code, max_occupancy: 2, sort, active: true };
}

export function aRoom(number: string, code = 'STD', floor = '1'): RoomRow {
  return {
    id: `r-${number}`,
    room_type_id: `t-${code}`,
    number,
    floor,
    status: 'clean',
    features: [],
    active: true,
    version: 1,
  };
}

export function aStay(
  id: string,
  checkIn: string,
  checkOut: string,
  more: Partial<StayLine> = {},
): StayLine {
  return {
    id,
    booking_id: `b-${id}`,
    number: `N${id}`,
    party_rooms: 1,
    state: 'confirmed',
    guest_name: `Guest ${id}`,
    vip: false,
    check_in: checkIn,
    check_out: checkOut,
    nights: daysBetween(checkIn, checkOut),
    type_code: 'STD',
    room_type_id: 't-STD',
    adults: 2,
    children: 0,
    room_number: null,
    room_id: null,
    room_status: null,
    guarantee: 'card',
    expected_time: null,
    hold_expires_at: null,
    total: 0,
    balance: 0,
    has_notes: false,
    do_not_move: false,
    over_limit: false,
    unsent: false,
    version: 1,
    ...more,
  };
}

export function aBar(stay: StayLine, roomId: string): ChartBar {
  return {
    id: `u-${stay.id}`,
    room_id: roomId,
    from: stay.check_in,
    until: stay.check_out,
    kind: 'stay',
    reason: null,
    stay,
  };
}
