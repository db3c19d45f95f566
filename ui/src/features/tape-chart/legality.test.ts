import { describe, expect, it } from 'vitest';
import type { ChartBar } from '../../generated/ChartBar';
import { heldFast, place } from './legality';
import { aBar, aRoom, aStay } from './testing';

const today = '2027-06-10';
const none = () => [];
const room101 = { kind: 'room' as const, room: aRoom('101') };

function with101(...bars: ChartBar[]) {
  return (roomId: string) => (roomId === 'r-101' ? bars : []);
}

describe('where a stay may go', () => {
  it('assigns who has no room, moves who has one, and back to the same is nothing', () => {
    expect(place(aStay('1', today, '2027-06-12'), room101, none, today)).toMatchObject({
      legal: true,
      act: 'assign',
    });
    const assigned = aStay('1', today, '2027-06-12', { room_id: 'r-102', room_number: '102' });
    expect(place(assigned, room101, none, today)).toMatchObject({ legal: true, act: 'move' });
    expect(place(assigned, { kind: 'room', room: aRoom('102') }, none, today)).toEqual({
      legal: true,
      act: 'nothing',
    });
  });

  it('n11_names_who_is_in_the_room', () => {
    const other = aStay('2', '2027-06-11', '2027-06-13', { guest_name: 'García' });
    expect(
      place(aStay('1', today, '2027-06-12'), room101, with101(aBar(other, 'r-101')), today),
    ).toEqual({
      legal: false,
      refusal: {
        reason: 'taken',
        by: 'García',
        number: 'N2',
        from: '2027-06-11',
        until: '2027-06-13',
      },
    });
  });

  it('b19_a_departure_day_and_b37_the_end_of_a_period_are_free', () => {
    const before = aStay('2', '2027-06-08', today);
    const after = aStay('3', '2027-06-12', '2027-06-14');
    const bars = with101(aBar(before, 'r-101'), aBar(after, 'r-101'));
    expect(place(aStay('1', today, '2027-06-12'), room101, bars, today)).toMatchObject({
      legal: true,
    });
    const block = (from: string, until: string): ChartBar => ({
      id: 'u',
      room_id: 'r-101',
      from,
      until,
      kind: 'out_of_order',
      reason: 'paint',
      stay: null,
    });
    const blocked = with101(block('2027-07-01', '2027-07-05'));
    expect(place(aStay('1', '2027-07-05', '2027-07-07'), room101, blocked, today)).toMatchObject({
      legal: true,
    });
    expect(place(aStay('1', '2027-06-30', '2027-07-01'), room101, blocked, today)).toMatchObject({
      legal: true,
    });
    expect(place(aStay('1', '2027-07-04', '2027-07-06'), room101, blocked, today)).toMatchObject({
      refusal: { reason: 'out_of_order', why: 'paint' },
    });
  });

  it('allows a room out of service and says so', () => {
    const service: ChartBar = {
      id: 'u',
      room_id: 'r-101',
      from: today,
      until: '2027-06-20',
      kind: 'out_of_service',
      reason: null,
      stay: null,
    };
    expect(place(aStay('1', today, '2027-06-12'), room101, with101(service), today)).toMatchObject({
      legal: true,
      outOfService: true,
    });
  });

  it('refuses another type, a locked room, a hold, what is over, and a place that is no room', () => {
    expect(
      place(aStay('1', today, '2027-06-12', { room_type_id: 't-DLX' }), room101, none, today),
    ).toMatchObject({ refusal: { reason: 'wrong_type' } });
    expect(
      place(
        aStay('1', today, '2027-06-12', { do_not_move: true, room_id: 'r-102' }),
        room101,
        none,
        today,
      ),
    ).toMatchObject({ refusal: { reason: 'do_not_move' } });
    expect(
      place(aStay('1', today, '2027-06-12', { do_not_move: true }), room101, none, today),
    ).toMatchObject({ legal: true });
    expect(
      place(aStay('1', today, '2027-06-12', { state: 'held' }), room101, none, today),
    ).toMatchObject({ refusal: { reason: 'hold' } });
    expect(place(aStay('1', '2027-06-01', '2027-06-09'), room101, none, today)).toMatchObject({
      refusal: { reason: 'past' },
    });
    expect(
      place(aStay('1', '2027-06-01', today, { state: 'checked_out' }), room101, none, today),
    ).toMatchObject({ refusal: { reason: 'ended' } });
    expect(
      place(aStay('1', today, '2027-06-12'), { kind: 'elsewhere' }, none, today),
    ).toMatchObject({ refusal: { reason: 'no_room_here' } });
  });

  it('looks only at the nights ahead of a guest in house', () => {
    const guest = aStay('1', '2027-06-08', '2027-06-12', { state: 'checked_in', room_id: 'r-102' });
    const gone = aStay('2', '2027-06-07', today, { state: 'checked_out' });
    expect(place(guest, room101, with101(aBar(gone, 'r-101')), today)).toMatchObject({
      legal: true,
      act: 'move',
    });
    const coming = aStay('3', '2027-06-11', '2027-06-13');
    expect(place(guest, room101, with101(aBar(coming, 'r-101')), today)).toMatchObject({
      legal: false,
    });
  });

  it('takes a room away from who has not arrived, never from who is in house', () => {
    const target = { kind: 'unassigned' as const };
    expect(place(aStay('1', today, '2027-06-12', { room_id: 'r-1' }), target, none, today)).toEqual(
      { legal: true, act: 'unassign' },
    );
    expect(place(aStay('1', today, '2027-06-12'), target, none, today)).toEqual({
      legal: true,
      act: 'nothing',
    });
    expect(
      place(
        aStay('1', today, '2027-06-12', { room_id: 'r-1', state: 'checked_in' }),
        target,
        none,
        today,
      ),
    ).toMatchObject({
      refusal: { reason: 'in_house_needs_room' },
    });
  });

  it('b40_a_room_that_is_occupied_now_is_free_for_a_later_stay', () => {
    const now = aStay('2', '2027-06-08', '2027-06-12', { state: 'checked_in', room_id: 'r-101' });
    expect(
      place(aStay('1', '2027-06-20', '2027-06-22'), room101, with101(aBar(now, 'r-101')), today),
    ).toMatchObject({ legal: true });
  });

  it('knows before anything is picked up whether it can be', () => {
    expect(heldFast(aStay('1', today, '2027-06-12'), today)).toBeUndefined();
    expect(
      heldFast(
        aStay('1', '2027-06-01', '2027-06-09', { state: 'checked_in', room_id: 'r-1' }),
        today,
      ),
    ).toEqual({ reason: 'past' });
  });
});
