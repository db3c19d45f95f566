/**
 * The nearest other answers when a stay is sold out: another type on the same dates, the same type a day
 * earlier or later. Pure: the quotes are given.
 */
import type { QuoteAnswer } from '../../generated/QuoteAnswer';
import type { QuoteType } from '../../generated/QuoteType';
import type { Day } from '../../shared/days';

export interface Alternative {
  kind: 'other_type' | 'other_dates';
  typeId: string;
  typeCode: string;
  typeName: string;
  checkIn: Day;
  checkOut: Day;
  left: number;
  total: number | undefined;
  /** Against the stay asked for, one room; absent where a price is missing. */
  dearerBy: number | undefined;
}

export interface QuotedStay {
  checkIn: Day;
  checkOut: Day;
  answer: QuoteAnswer;
}

/** How many to offer: more would be a list to read, not an answer to give at the telephone. */
export const ALTERNATIVES_MAX = 4;

export function sellable(type: QuoteType, rooms: number): boolean {
  return (
    type.room_type.active &&
    type.restrictions.length === 0 &&
    type.total !== null &&
    type.left >= rooms
  );
}

/** Nights without a room among those asked for, for the sentence on what is sold out. */
export function fullNights(type: QuoteType, rooms: number): Day[] {
  return type.nights.filter((night) => night.left < rooms).map((night) => night.stay_date);
}

export function alternatives(
  asked: { typeId: string; rooms: number; persons: number },
  same: QuotedStay,
  near: readonly QuotedStay[],
): Alternative[] {
  const wanted = same.answer.types.find((type) => type.room_type.id === asked.typeId);
  const price = wanted?.total ?? undefined;
  const offer = (kind: Alternative['kind'], type: QuoteType, stay: QuotedStay): Alternative => ({
    kind,
    typeId: type.room_type.id,
    typeCode: type.room_type.code,
    typeName: type.room_type.name,
    checkIn: stay.checkIn,
    checkOut: stay.checkOut,
    left: type.left,
    total: type.total ?? undefined,
    dearerBy: type.total !== null && price !== undefined ? type.total - price : undefined,
  });

  const types = same.answer.types
    .filter((type) => type.room_type.id !== asked.typeId && sellable(type, asked.rooms))
    // One that is too small is no answer.
    .filter((type) => type.room_type.max_occupancy >= asked.persons)
    .map((type) => offer('other_type', type, same))
    .sort(
      (left, right) => Math.abs(left.dearerBy ?? Infinity) - Math.abs(right.dearerBy ?? Infinity),
    );

  const dates = near.flatMap((stay) => {
    const type = stay.answer.types.find((candidate) => candidate.room_type.id === asked.typeId);
    return type && sellable(type, asked.rooms) ? [offer('other_dates', type, stay)] : [];
  });

  // Both kinds are shown when both exist: a guest who cannot change dates needs the other types.
  const room = Math.max(ALTERNATIVES_MAX - dates.length, 2);
  return [...types.slice(0, room), ...dates].slice(0, ALTERNATIVES_MAX);
}
