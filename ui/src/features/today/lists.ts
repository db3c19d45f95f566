import type { StayLine } from '../../generated/StayLine';
import type { Today } from '../../generated/Today';
import { matches } from '../../shared/search';

export const LISTS = [
  'due_in',
  'unassigned',
  'on_hold',
  'in_house',
  'due_out',
  'departed',
  'over_limit',
] as const;
export type ListName = (typeof LISTS)[number];

export function isListName(word: string | undefined): word is ListName {
  return LISTS.some((list) => list === word);
}

/** The lines of a list; its count is its length. */
export function linesOf(today: Today, list: ListName): readonly StayLine[] {
  if (list !== 'over_limit') return today[list];
  const seen = new Map<string, StayLine>();
  for (const line of [...today.due_in, ...today.in_house]) if (line.over_limit) seen.set(line.id, line);
  return [...seen.values()];
}

/** Lines that a typed text leaves: by name, number or room. */
export function filterLines(lines: readonly StayLine[], query: string): readonly StayLine[] {
  if (query.trim() === '') return lines;
  return lines.filter((line) =>
    matches(`${line.guest_name} ${line.number} ${line.room_number ?? ''} ${line.type_code}`, query),
  );
}

export type NextStep = 'check_in' | 'check_out' | 'open';

/** What Enter does on a line. */
export function nextStep(line: StayLine, businessDate: string): NextStep {
  if (line.state === 'confirmed' && line.check_in <= businessDate) return 'check_in';
  if (line.state === 'checked_in') return 'check_out';
  return 'open';
}
