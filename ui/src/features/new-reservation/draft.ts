// What has been typed, kept while the form is left and entered again. Dates and the hold are kept on
// this machine, so that a reload finds them (B10). The guest is not: names and telephones are never
// written to the disk in clear (N13), so they live as long as the program runs.
import type { GuestRow } from '../../generated/GuestRow';
import type { Guarantee } from '../../generated/Guarantee';
import type { HoldRecord } from './hold-keeper';

export interface GuestDraft {
  /** A profile that was chosen; absent for a new guest. */
  profile: GuestRow | undefined;
  name: string;
  phone: string;
  email: string;
  company: string;
  country: string;
  language: string;
  notes: string;
}

export interface RoomDraft {
  guest: GuestDraft;
  adults: number;
  /** Ages as typed: `4, 7`. */
  ages: string;
}

export interface Draft {
  line: string;
  typeId: string | undefined;
  guest: GuestDraft;
  rooms: RoomDraft[];
  guarantee: Guarantee;
  expected: string;
  notes: string;
}

export const NO_GUEST: GuestDraft = {
  profile: undefined,
  name: '',
  phone: '',
  email: '',
  company: '',
  country: '',
  language: '',
  notes: '',
};

export function emptyDraft(line = ''): Draft {
  return {
    line,
    typeId: undefined,
    guest: NO_GUEST,
    rooms: [],
    guarantee: 'none',
    expected: '',
    notes: '',
  };
}

const HOLD_KEY = 'nightdesk.hold';
const LINE_KEY = 'nightdesk.new-line';

export function loadHold(): HoldRecord | undefined {
  try {
    const kept = localStorage.getItem(HOLD_KEY);
    return kept === null ? undefined : (JSON.parse(kept) as HoldRecord);
  } catch {
    return undefined;
  }
}

export function saveHold(record: HoldRecord | undefined): void {
  keep(HOLD_KEY, record === undefined ? undefined : JSON.stringify(record));
}

function keep(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Not kept: after a reload the hold runs out by itself.
  }
}

let draft: Draft | undefined;

export function loadDraft(): Draft {
  if (draft) return draft;
  try {
    return emptyDraft(localStorage.getItem(LINE_KEY) ?? '');
  } catch {
    return emptyDraft();
  }
}

export function saveDraft(next: Draft): void {
  draft = next;
  keep(LINE_KEY, next.line === '' ? undefined : next.line);
}

/** Ages as they are typed: `4, 7`; nothing when one of them is none. */
export function readAges(text: string): number[] | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  const ages = words.map((word) => (/^\d{1,2}$/.test(word) ? Number(word) : -1));
  return ages.length <= 10 && ages.every((age) => age >= 0 && age <= 17) ? ages : undefined;
}

/** A time of the day as it is typed: `15:30`, `15.30`, `1530`, `15`; nothing when it is none. */
export function readTime(text: string): string | undefined {
  const match = /^(\d{1,2})(?:[:.h]?(\d{2}))?$/.exec(text.trim());
  if (!match) return undefined;
  const hour = Number(match[1]);
  const minute = Number(match[2] ?? '0');
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`;
}
