import { describe, expect, it } from 'vitest';
import type { QuoteAnswer } from '../../generated/QuoteAnswer';
import { addDays } from '../../shared/days';
import type { QuoteType } from '../../generated/QuoteType';
import { alternatives, fullNights, sellable } from './alternatives';

function type(
  code: string,
  left: number[],
  total: number | null,
  persons = 2,
  restrictions: string[] = [],
): QuoteType {
  return {
    room_type: { id: `t-${code}`, code, name: code, max_occupancy: persons, sort: 0, active: true },
    left: Math.min(...left),
    limit: 10,
    total,
    nights: left.map((count, index) => ({
      stay_date: `2027-06-${10 + index}`,
      left: count,
      price: total,
    })),
    restrictions: restrictions.map((rule) => ({ rule, nights: null })),
  };
}

function quote(...types: QuoteType[]): QuoteAnswer {
  return { currency: 'EUR', types };
}

const asked = { typeId: 't-STD', rooms: 1, persons: 2 };
const on = (day: number, answer: QuoteAnswer) => ({
  checkIn: addDays('2027-06-01', day - 1),
  checkOut: addDays('2027-06-01', day + 1),
  answer,
});

describe('the nearest other answers', () => {
  it('offers types that have room, the nearest in price first, then the neighbouring days', () => {
    const found = alternatives(
      asked,
      on(10, quote(type('STD', [0, 1], 200), type('DLX', [3, 3], 400), type('TWN', [2, 2], 210))),
      [on(9, quote(type('STD', [1, 1], 190))), on(11, quote(type('STD', [0, 0], 200)))],
    );
    expect(found.map((one) => [one.kind, one.typeCode, one.checkIn, one.dearerBy])).toEqual([
      ['other_type', 'TWN', '2027-06-10', 10],
      ['other_type', 'DLX', '2027-06-10', 200],
      ['other_dates', 'STD', '2027-06-09', -10],
    ]);
  });

  it('offers nothing that is restricted, unpriced, too small or too few', () => {
    const found = alternatives(
      { typeId: 't-STD', rooms: 2, persons: 3 },
      on(
        10,
        quote(
          type('STD', [0], 200, 3),
          type('SGL', [5], 100, 1),
          type('DLX', [1], 300, 3),
          type('SUI', [5], null, 4),
          type('FAM', [5], 300, 4, ['min_stay']),
        ),
      ),
      [],
    );
    expect(found).toEqual([]);
  });

  it('b02_looks_at_each_night', () => {
    const std = type('STD', [1, 1, 0], 300);
    expect(sellable(std, 1)).toBe(false);
    expect(fullNights(std, 1)).toEqual(['2027-06-12']);
  });
});
