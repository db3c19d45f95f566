// What the chart says in words: the line of facts, why a place is not allowed, what a cell holds.
import type { ChartBar } from '../../generated/ChartBar';
import type { HotelRow } from '../../generated/HotelRow';
import type { PositionCell } from '../../generated/PositionCell';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t, tWord } from '../../i18n';
import {
  formatClock,
  formatDate,
  formatDays,
  formatMoney,
  formatParty,
  formatStay,
  formatTime,
} from '../../shared/format';
import { lookOf } from './chart-data';
import type { Place, Refusal } from './legality';

export function nameOf(stay: StayLine): string {
  return stay.guest_name === '' ? t('common.no_name') : stay.guest_name;
}

/** One line: who, how it stands, where, when, with whom, what is owed, what to heed. */
export function stayFacts(stay: StayLine, hotel: HotelRow): string[] {
  const look = lookOf('stay', stay, hotel.business_date);
  const held = stay.state === 'held' && stay.hold_expires_at !== null;
  return [
    nameOf(stay),
    held
      ? t('chart.held_until', { time: formatClock(stay.hold_expires_at ?? '', hotel.time_zone) })
      : tWord('state', look === 'due_out' ? 'due_out' : stay.state),
    ...(stay.over_limit ? [t('state.over_limit')] : []),
    stay.room_number === null
      ? t('chart.no_room', { type: stay.type_code })
      : t('chart.room_type', { room: stay.room_number, type: stay.type_code }),
    formatStay(stay.check_in, stay.check_out, hotel.business_date),
    formatParty(stay.adults, stay.children),
    ...(stay.party_rooms > 1 ? [t('chart.party', { count: stay.party_rooms })] : []),
    ...(stay.expected_time === null
      ? []
      : [t('chart.expected', { time: formatTime(stay.expected_time) })]),
    t('chart.guarantee', { word: tWord('guarantee', stay.guarantee) }),
    ...(stay.balance === 0
      ? []
      : [t('chart.balance', { money: formatMoney(stay.balance, hotel.currency) })]),
    ...(stay.do_not_move ? [t('chart.do_not_move')] : []),
    ...(stay.has_notes ? [t('chart.has_notes')] : []),
    ...(stay.unsent ? [t('common.unsent')] : []),
    stay.number,
  ];
}

export function barFacts(bar: ChartBar, room: RoomRow | undefined, hotel: HotelRow): string[] {
  if (bar.kind === 'stay' && bar.stay) return stayFacts(bar.stay, hotel);
  return [
    ...(room ? [t('chart.room', { room: room.number })] : []),
    t(bar.kind === 'out_of_order' ? 'state.out_of_order' : 'state.out_of_service'),
    ...(bar.reason === null ? [] : [tWord('reason_out', bar.reason)]),
    formatDays(bar.from, bar.until, hotel.business_date),
  ];
}

export function positionFacts(cell: PositionCell, name: string, hotel: HotelRow): string[] {
  return [
    name,
    formatDate(cell.stay_date, hotel.business_date),
    cell.left < 0
      ? t('common.over_by', { count: -cell.left })
      : t('chart.left_of', { left: cell.left, limit: cell.limit }),
    t('chart.sold', { count: cell.sold }),
    ...(cell.on_hold > 0 ? [t('chart.on_hold_count', { count: cell.on_hold })] : []),
    ...(cell.lent > 0 ? [t('chart.lent', { count: cell.lent })] : []),
    ...(cell.out_of_order > 0 ? [t('chart.out_of_order_count', { count: cell.out_of_order })] : []),
    t('chart.rooms_total', { count: cell.total }),
    ...(cell.binds ? [t('chart.binds')] : []),
  ];
}

export function refusalText(
  refusal: Refusal,
  stay: StayLine,
  room: RoomRow | undefined,
  hotel: HotelRow,
): string {
  const number = room?.number ?? '';
  switch (refusal.reason) {
    case 'taken':
      return t('chart.refused.taken', {
        room: number,
        name: refusal.by === '' ? t('common.no_name') : refusal.by,
        days: formatDays(refusal.from, refusal.until, hotel.business_date),
      });
    case 'out_of_order':
      return t('chart.refused.out_of_order', {
        room: number,
        days: formatDays(refusal.from, refusal.until, hotel.business_date),
      });
    case 'wrong_type':
      return t('chart.refused.wrong_type', { room: number, type: stay.type_code });
    case 'past':
      return t('chart.refused.past', { name: nameOf(stay) });
    case 'do_not_move':
      return t('chart.refused.do_not_move', { name: nameOf(stay), room: stay.room_number ?? '' });
    case 'in_house_needs_room':
      return t('chart.refused.in_house', { name: nameOf(stay) });
    case 'hold':
      return t('chart.refused.hold');
    case 'ended':
      return t('chart.refused.ended', { name: nameOf(stay) });
    case 'no_room_here':
      return t('chart.refused.no_room_here');
  }
}

/** What letting go here would do, or why it would do nothing. */
export function placeText(
  place: Place,
  stay: StayLine,
  room: RoomRow | undefined,
  hotel: HotelRow,
): string {
  if (!place.legal) return refusalText(place.refusal, stay, room, hotel);
  const name = nameOf(stay);
  switch (place.act) {
    case 'nothing':
      return t('chart.place.nothing', { name });
    case 'unassign':
      return t('chart.place.unassign', { name });
    case 'assign':
    case 'move': {
      const text = t(place.act === 'assign' ? 'chart.place.assign' : 'chart.place.move', {
        name,
        room: room?.number ?? '',
        from: stay.room_number ?? '',
      });
      return place.outOfService ? `${text} ${t('chart.place.out_of_service')}` : text;
    }
  }
}
