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
  const ends: { from: number; until: number }[][] = [];
  const lanes = new Map<string, number>();
  const free = (lane: number, from: number, until: number): boolean =>
    (ends[lane] ?? []).every((taken) => until <= taken.from || from >= taken.until);
  const put = (stay: Stacked, lane: number, from: number, until: number): void => {
    (ends[lane] ??= []).push({ from, until });
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
  open.sort(
    (left, right) => left.check_in.localeCompare(right.check_in) || left.id.localeCompare(right.id),
  );
  for (const stay of open) {
    const [from, until] = span(stay);
    let lane = 0;
    while (!free(lane, from, until)) lane += 1;
    put(stay, lane, from, until);
  }
  return { lanes, count: ends.length };
}
