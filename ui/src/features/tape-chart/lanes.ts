// Stacks stays that have no room into lanes without overlap. Lanes are kept from one reading to the
// next: what somebody else does must not move a bar that a clerk is about to take hold of.
import { toNumber } from '../../shared/days';

export interface Stacked {
  id: string;
  check_in: string;
  check_out: string;
}

/** Lane of each stay by its id. */
export type Lanes = ReadonlyMap<string, number>;

export interface Stack {
  lanes: Lanes;
  count: number;
}

/**
 * Each stay goes into the lane it had before when that is still free there, else into the first free one.
 * Without `before`, arrivals in order give the fewest lanes possible.
 */
export function stack(stays: readonly Stacked[], before: Lanes = new Map()): Stack {
  /** The nights taken of each lane. */
  const taken: Set<number>[] = [];
  const lanes = new Map<string, number>();
  const free = (lane: number, from: number, until: number): boolean => {
    const nights = taken[lane];
    if (!nights) return true;
    for (let night = from; night < until; night += 1) if (nights.has(night)) return false;
    return true;
  };
  const put = (stay: Stacked, lane: number, from: number, until: number): void => {
    while (taken.length <= lane) taken.push(new Set());
    for (let night = from; night < until; night += 1) taken[lane]?.add(night);
    lanes.set(stay.id, lane);
  };
  const span = (stay: Stacked): [number, number] => {
    const from = toNumber(stay.check_in);
    return [from, Math.max(toNumber(stay.check_out), from + 1)];
  };

  const open: Stacked[] = [];
  for (const stay of stays) {
    const lane = before.get(stay.id);
    const [from, until] = span(stay);
    if (lane !== undefined && free(lane, from, until)) put(stay, lane, from, until);
    else open.push(stay);
  }
  open.sort((left, right) => compare(left.check_in, right.check_in) || compare(left.id, right.id));
  for (const stay of open) {
    const [from, until] = span(stay);
    let lane = 0;
    while (!free(lane, from, until)) lane += 1;
    put(stay, lane, from, until);
  }
  return { lanes, count: taken.length };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
