import { describe, expect, it } from 'vitest';
import { type Stacked, stack } from './lanes';

const stay = (id: string, check_in: string, check_out: string): Stacked => ({
  id,
  check_in,
  check_out,
});

describe('lanes of those without a room', () => {
  it('are as few as overlap, and a departure day is free for the next arrival', () => {
    const { lanes, count } = stack([
      stay('a', '2027-06-01', '2027-06-03'),
      stay('b', '2027-06-02', '2027-06-04'),
      stay('c', '2027-06-03', '2027-06-05'),
    ]);
    expect(count).toBe(2);
    expect(Object.fromEntries(lanes)).toEqual({ a: 0, b: 1, c: 0 });
  });

  it('never let two stays lie on each other', () => {
    const stays: Stacked[] = [];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let index = 0; index < 300; index += 1) {
      const from = 1 + random(20);
      const nights = random(6);
      stays.push(
        stay(
          `s${index}`,
          `2027-06-${String(from).padStart(2, '0')}`,
          `2027-06-${String(from + nights).padStart(2, '0')}`,
        ),
      );
    }
    const { lanes } = stack(stays);
    for (const left of stays) {
      for (const right of stays) {
        if (left.id >= right.id || lanes.get(left.id) !== lanes.get(right.id)) continue;
        expect(left.check_in < right.check_out && right.check_in < left.check_out).toBe(false);
      }
    }
  });

  it('stay where they were when somebody else assigns or adds one', () => {
    const before = stack([
      stay('a', '2027-06-01', '2027-06-03'),
      stay('b', '2027-06-01', '2027-06-03'),
      stay('c', '2027-06-01', '2027-06-03'),
    ]);
    const after = stack(
      [
        stay('b', '2027-06-01', '2027-06-03'),
        stay('c', '2027-06-01', '2027-06-03'),
        stay('n', '2027-06-02', '2027-06-04'),
      ],
      before.lanes,
    );
    expect(after.lanes.get('b')).toBe(before.lanes.get('b'));
    expect(after.lanes.get('c')).toBe(before.lanes.get('c'));
    expect(after.lanes.get('n')).toBe(before.lanes.get('a'));
  });
});
