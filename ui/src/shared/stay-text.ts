/**
 * Reads the one line in which a clerk types a stay: `30.11 2n 2 dbl`, `2027-06-10 > 2027-06-12`,
 * `today 3n`, `fri 2 nights 1 std + 1 dlx`. Pure: the open day and the hotel's types are given.
 *
 * It never guesses at a date. `06/10` has two readings and is refused with both offered (B92); a date
 * that does not exist is refused and never moved to a neighbour (B26).
 */
import {
  addDays,
  type Day,
  dayOf,
  daysBetween,
  partsOf,
  toNumber,
  weekdayOf,
} from './days';

export const NIGHTS_MAX = 365;
export const ROOMS_MAX = 50;
export const ADULTS_MAX = 20;
export const CHILDREN_MAX = 10;

export interface TypeName {
  id: string;
  code: string;
  name: string;
}

export interface RoomsWish {
  count: number;
  /** Absent: any type, to be chosen from the rows. */
  typeId: string | undefined;
}

export interface StayWish {
  checkIn: Day;
  checkOut: Day;
  nights: number;
  /** No departure was given: one night was taken. */
  nightsAssumed: boolean;
  rooms: RoomsWish[];
  adults: number | undefined;
  children: number | undefined;
}

export type StayProblem =
  | { code: 'empty' }
  | { code: 'no_arrival' }
  | { code: 'unclear_date'; text: string; readings: [Day, Day] }
  | {
      code: 'no_such_date';
      text: string;
      day: number;
      month: number;
      year: number;
      nextYear: number | undefined;
    }
  | { code: 'past'; day: Day }
  | { code: 'not_after'; checkIn: Day; checkOut: Day }
  | { code: 'too_many_nights'; max: number }
  | { code: 'nights_and_departure_differ'; nights: number; dates: number }
  | { code: 'too_many_dates'; text: string }
  | {
      code: 'bad_count';
      text: string;
      what: 'nights' | 'rooms' | 'adults' | 'children';
      max: number;
    }
  | { code: 'unclear_type'; text: string; choices: string[] }
  | { code: 'unclear_number'; text: string }
  | { code: 'unknown_word'; text: string };

export type StayReading =
  { ok: true; stay: StayWish } | { ok: false; problem: StayProblem; repairs: string[] };

interface Context {
  today: Day;
  types: readonly TypeName[];
}

const MONTHS: readonly (readonly string[])[] = [
  ['jan', 'ene', 'янв'],
  ['feb', 'fev', 'fév', 'фев'],
  ['mar', 'мар'],
  ['apr', 'abr', 'avr', 'апр'],
  ['may', 'mai', 'май', 'мая'],
  ['jun', 'juin', 'июн'],
  ['jul', 'juil', 'июл'],
  ['aug', 'ago', 'aou', 'aoû', 'авг'],
  ['sep', 'сен'],
  ['oct', 'окт'],
  ['nov', 'ноя'],
  ['dec', 'dic', 'déc', 'дек'],
];

const WEEKDAYS: readonly (readonly string[])[] = [
  ['sun', 'dom', 'dim', 'вс'],
  ['mon', 'lun', 'пн'],
  ['tue', 'mar.', 'вт'],
  ['wed', 'mie', 'mié', 'mer', 'ср'],
  ['thu', 'jue', 'jeu', 'чт'],
  ['fri', 'vie', 'ven', 'пт'],
  ['sat', 'sab', 'sáb', 'sam', 'сб'],
];

const TODAY = new Set(['today', 'tonight', 'hoy', "aujourd'hui", 'сегодня']);
const TOMORROW = new Set(['tomorrow', 'mañana', 'manana', 'demain', 'завтра']);
const NIGHT_WORD = /^(n|nt|nts|night|nights|noche|noches|nuit|nuits|ноч(?:ь|и|ей)?|нч)$/u;
const ROOM_WORD =
  /^(r|rm|rms|room|rooms|hab|habs|habitación|habitaciones|chambre|chambres|номер|номера|номеров)$/u;
const ADULT_WORD = /^(a|ad|adt|adult|adults|pax|p|adulto|adultos|adulte|adultes|взр)$/u;
const CHILD_WORD = /^(c|ch|chd|child|children|kid|kids|niño|niños|enfant|enfants|дет)$/u;
const RANGE_WORD = /^(>|->|–|—|-|\.\.|…|to|till|until|a|au|до)$/u;

/** What clerks call a type whatever its code is. */
const TYPE_WORDS: Record<string, string> = {
  sgl: 'single',
  dbl: 'double',
  dbls: 'double',
  twn: 'twin',
  trp: 'triple',
  tpl: 'triple',
  quad: 'quad',
  ste: 'suite',
  fam: 'family',
};

type Token =
  | { kind: 'date'; text: string; day: Day; year: boolean }
  | { kind: 'range' }
  | { kind: 'nights'; count: number }
  | { kind: 'rooms'; count: number; typeId: string | undefined }
  | { kind: 'adults'; count: number }
  | { kind: 'children'; count: number };

class Refused extends Error {
  constructor(
    readonly problem: StayProblem,
    readonly repairs: string[] = [],
  ) {
    super(problem.code);
  }
}

export function readStay(text: string, context: Context): StayReading {
  try {
    return { ok: true, stay: stayOf(tokensOf(text, context), context) };
  } catch (error) {
    if (error instanceof Refused)
      return { ok: false, problem: error.problem, repairs: error.repairs };
    throw error;
  }
}

/** One day alone, in any of the ways in which a stay's days are typed; past days as well. */
export function readDay(text: string, today: Day): { day: Day; year: boolean } | undefined {
  try {
    const words = wordsOf(text);
    const taken = dateAt(words, 0, { today, types: [] });
    if (!taken || taken.length !== words.length || taken.token?.kind !== 'date') return undefined;
    return { day: taken.token.day, year: taken.token.year };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The line that reads back as this stay; used when dates are picked instead of typed. */
export function writeStay(
  checkIn: Day,
  checkOut: Day,
  rooms: readonly RoomsWish[],
  types: readonly TypeName[],
): string {
  const parts = [`${checkIn} > ${checkOut}`];
  for (const wish of rooms) {
    const code = types.find((type) => type.id === wish.typeId)?.code;
    if (code !== undefined) parts.push(`${wish.count} ${code.toLowerCase()}`);
    else if (wish.count !== 1) parts.push(`${wish.count} rooms`);
  }
  return parts.join(' ');
}

function stayOf(tokens: readonly Token[], context: Context): StayWish {
  if (tokens.length === 0) throw new Refused({ code: 'empty' });
  const dates: { day: Day; year: boolean; text: string }[] = [];
  const rooms: RoomsWish[] = [];
  let nights: number | undefined;
  let adults: number | undefined;
  let children: number | undefined;
  for (const token of tokens) {
    if (token.kind === 'date') {
      if (dates.length === 2) throw new Refused({ code: 'too_many_dates', text: token.text });
      dates.push(token);
    } else if (token.kind === 'nights') nights = token.count;
    else if (token.kind === 'rooms') rooms.push({ count: token.count, typeId: token.typeId });
    else if (token.kind === 'adults') adults = token.count;
    else if (token.kind === 'children') children = token.count;
  }
  const [first, second] = dates;
  if (!first) throw new Refused({ code: 'no_arrival' });
  const checkIn = first.day;
  if (daysBetween(context.today, checkIn) < 0) throw new Refused({ code: 'past', day: checkIn });

  let checkOut: Day;
  if (second) {
    checkOut = second.day;
    // "30.12 > 02.01": a departure without a year is the next such day after the arrival.
    if (!second.year && daysBetween(checkIn, checkOut) <= 0)
      checkOut = sameDayLater(checkOut, checkIn) ?? checkOut;
    if (daysBetween(checkIn, checkOut) <= 0)
      throw new Refused({ code: 'not_after', checkIn, checkOut });
    if (nights !== undefined && nights !== daysBetween(checkIn, checkOut)) {
      throw new Refused({
        code: 'nights_and_departure_differ',
        nights,
        dates: daysBetween(checkIn, checkOut),
      });
    }
  } else {
    checkOut = addDays(checkIn, nights ?? 1);
  }
  const count = daysBetween(checkIn, checkOut);
  if (count > NIGHTS_MAX) throw new Refused({ code: 'too_many_nights', max: NIGHTS_MAX });
  const wishes = joined(rooms.length > 0 ? rooms : [{ count: 1, typeId: undefined }]);
  const total = wishes.reduce((sum, wish) => sum + wish.count, 0);
  if (total > ROOMS_MAX)
    throw new Refused({ code: 'bad_count', text: String(total), what: 'rooms', max: ROOMS_MAX });
  return {
    checkIn,
    checkOut,
    nights: count,
    nightsAssumed: !second && nights === undefined,
    rooms: wishes,
    adults,
    children,
  };
}

/** `2 dbl 1 dbl` is three rooms of one type; `2 rooms std` is two of it. */
function joined(rooms: readonly RoomsWish[]): RoomsWish[] {
  const untyped = rooms.filter((wish) => wish.typeId === undefined);
  const typed = new Map<string, number>();
  for (const wish of rooms) {
    if (wish.typeId !== undefined)
      typed.set(wish.typeId, (typed.get(wish.typeId) ?? 0) + wish.count);
  }
  const wishes: RoomsWish[] = [...typed].map(([typeId, count]) => ({ count, typeId }));
  const only = wishes[0];
  if (untyped.length === 1 && wishes.length === 1 && only && only.count === 1) {
    return [{ count: untyped[0]?.count ?? 1, typeId: only.typeId }];
  }
  for (const wish of untyped) wishes.push(wish);
  return wishes;
}

function sameDayLater(day: Day, after: Day): Day | undefined {
  const { month, day: date } = partsOf(day);
  const year = partsOf(after).year;
  for (const candidate of [year, year + 1]) {
    const next = dayOf(candidate, month, date);
    if (next !== undefined && daysBetween(after, next) > 0) return next;
  }
  return undefined;
}

function tokensOf(text: string, context: Context): Token[] {
  const words = wordsOf(text);
  const tokens: Token[] = [];
  let at = 0;
  while (at < words.length) {
    const taken =
      dateAt(words, at, context) ?? countAt(words, at, context) ?? wordAt(words, at, context);
    if (!taken) {
      const word = words[at] ?? '';
      throw new Refused(
        /^\d+$/.test(word)
          ? { code: 'unclear_number', text: word }
          : { code: 'unknown_word', text: word },
      );
    }
    if (taken.token) tokens.push(taken.token);
    at += taken.length;
  }
  return tokens;
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[,;+&]/g, ' ')
    .replace(/(->|[>–—…])/g, ' $1 ')
    .replace(/(\d)\s*\.\.\s*(\d)/g, '$1 .. $2')
    .split(/\s+/)
    .filter(
      (word) => word !== '' && word !== 'and' && word !== 'y' && word !== 'et' && word !== 'и',
    );
}

interface Taken {
  token: Token | undefined;
  length: number;
}

function dateAt(words: readonly string[], at: number, context: Context): Taken | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(word);
  if (iso) return dated(word, Number(iso[3]), Number(iso[2]), Number(iso[1]), 1, context);

  const dotted = /^(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2})?)?$/.exec(word);
  if (dotted)
    return dated(word, Number(dotted[1]), Number(dotted[2]), yearOf(dotted[3]), 1, context);

  const slashed = /^(\d{1,2})[/-](\d{1,2})(?:[/-](\d{4}|\d{2}))?$/.exec(word);
  if (slashed)
    return slashDate(word, Number(slashed[1]), Number(slashed[2]), yearOf(slashed[3]), context);

  // "10 jun", "10 june 2027", "10jun"
  const joinedDay = /^(\d{1,2})(\p{L}{3,})\.?$/u.exec(word);
  if (joinedDay) {
    const month = monthOf(joinedDay[2] ?? '');
    if (month !== undefined) return namedDate(words, at, Number(joinedDay[1]), month, 1, context);
  }
  if (/^\d{1,2}\.?$/.test(word)) {
    const month = monthOf(words[at + 1] ?? '');
    if (month !== undefined)
      return namedDate(words, at, Number.parseInt(word, 10), month, 2, context);
  }
  const month = monthOf(word);
  if (
    month !== undefined &&
    /^\d{1,2}\.?$/.test(words[at + 1] ?? '') &&
    !isCountedBy(words, at + 2)
  ) {
    return namedDate(words, at, Number.parseInt(words[at + 1] ?? '', 10), month, 2, context);
  }

  if (TODAY.has(word)) return relative(word, context.today);
  if (TOMORROW.has(word)) return relative(word, addDays(context.today, 1));
  const weekday = WEEKDAYS.findIndex((names) =>
    names.some((name) => name === word || (name.length > 2 && fullWeekday(word, name))),
  );
  if (weekday >= 0) {
    const ahead = (weekday - weekdayOf(toNumber(context.today)) + 7) % 7;
    return relative(word, addDays(context.today, ahead));
  }
  return undefined;
}

/** `friday` for `fri`, but not `fribourg`: longer words must end as weekdays do. */
function fullWeekday(word: string, name: string): boolean {
  return word.startsWith(name) && /^\p{L}+(day|di|es|bado|ingo|manche)$/u.test(word);
}

function isCountedBy(words: readonly string[], at: number): boolean {
  const word = words[at];
  return word !== undefined && (NIGHT_WORD.test(word) || ROOM_WORD.test(word));
}

function relative(text: string, day: Day): Taken {
  return { token: { kind: 'date', text, day, year: true }, length: 1 };
}

function namedDate(
  words: readonly string[],
  at: number,
  day: number,
  month: number,
  length: number,
  context: Context,
): Taken {
  const next = words[at + length] ?? '';
  const year = /^(20|21)\d\d$/.test(next) ? Number(next) : undefined;
  const used = year === undefined ? length : length + 1;
  return dated(words.slice(at, at + used).join(' '), day, month, year, used, context);
}

function dated(
  text: string,
  day: number,
  month: number,
  year: number | undefined,
  length: number,
  context: Context,
): Taken {
  const found = year === undefined ? nextDay(day, month, context.today) : dayOf(year, month, day);
  if (found === undefined) throw noSuchDate(text, day, month, year, context);
  return { token: { kind: 'date', text, day: found, year: year !== undefined }, length };
}

function slashDate(
  text: string,
  first: number,
  second: number,
  year: number | undefined,
  context: Context,
): Taken {
  const dayFirst =
    year === undefined ? nextDay(first, second, context.today) : dayOf(year, second, first);
  const monthFirst =
    year === undefined ? nextDay(second, first, context.today) : dayOf(year, first, second);
  if (dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst) {
    throw new Refused({ code: 'unclear_date', text, readings: [dayFirst, monthFirst] }, [
      dayFirst,
      monthFirst,
    ]);
  }
  const found = dayFirst ?? monthFirst;
  if (found === undefined) {
    // 29/02 has one reading as a date, though not in this year.
    const [day, month] = second > 12 ? [second, first] : [first, second];
    throw noSuchDate(text, day, month, year, context);
  }
  return { token: { kind: 'date', text, day: found, year: year !== undefined }, length: 1 };
}

function noSuchDate(
  text: string,
  day: number,
  month: number,
  year: number | undefined,
  context: Context,
): Refused {
  const asked = year ?? partsOf(context.today).year;
  let nextYear: number | undefined;
  for (
    let candidate = asked + 1;
    candidate <= asked + 8 && nextYear === undefined;
    candidate += 1
  ) {
    if (dayOf(candidate, month, day) !== undefined) nextYear = candidate;
  }
  const repair = nextYear === undefined ? undefined : dayOf(nextYear, month, day);
  return new Refused(
    { code: 'no_such_date', text, day, month, year: asked, nextYear },
    repair === undefined ? [] : [repair],
  );
}

/**
 * The next such day from the open day on. When it does not exist in the year in which it would fall, it
 * does not exist: 29.02 typed in 2027 is not silently a date in 2028.
 */
function nextDay(day: number, month: number, today: Day): Day | undefined {
  const now = partsOf(today);
  const year =
    month > now.month || (month === now.month && day >= now.day) ? now.year : now.year + 1;
  return dayOf(year, month, day);
}

function yearOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  return text.length === 2 ? 2000 + Number(text) : Number(text);
}

function monthOf(word: string): number | undefined {
  if (word.length < 3) return undefined;
  const plain = word.replace(/\.$/, '');
  const index = MONTHS.findIndex((names) =>
    names.some((name) => plain === name || (plain.startsWith(name) && plain.length >= 3)),
  );
  return index < 0 ? undefined : index + 1;
}

/** `2n`, `2 n`, `2x dbl`, `2dbl`, `2 rooms`, `2a`, `1c`. */
function countAt(words: readonly string[], at: number, context: Context): Taken | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const glued = /^(-?\d+)(?:[x×*])?(\p{L}[\p{L}\d]*)?$/u.exec(word);
  if (!glued) return undefined;
  const text = glued[1] ?? '';
  let unit = glued[2];
  let length = 1;
  if (unit === undefined || unit === 'x') {
    unit = words[at + 1];
    length = 2;
    if (unit === 'x' || unit === '×') {
      unit = words[at + 2];
      length = 3;
    }
  }
  if (unit === undefined) return undefined;
  const number = text.length > 6 ? Number.POSITIVE_INFINITY : Number(text);
  if (NIGHT_WORD.test(unit))
    return {
      token: { kind: 'nights', count: counted(number, text, 'nights', NIGHTS_MAX) },
      length,
    };
  if (ADULT_WORD.test(unit))
    return {
      token: { kind: 'adults', count: counted(number, text, 'adults', ADULTS_MAX) },
      length,
    };
  if (CHILD_WORD.test(unit)) {
    if (number === 0) return { token: { kind: 'children', count: 0 }, length };
    return {
      token: { kind: 'children', count: counted(number, text, 'children', CHILDREN_MAX) },
      length,
    };
  }
  if (ROOM_WORD.test(unit)) {
    return {
      token: { kind: 'rooms', count: counted(number, text, 'rooms', ROOMS_MAX), typeId: undefined },
      length,
    };
  }
  const typeId = typeOf(unit, context);
  if (typeId === undefined) return undefined;
  return {
    token: { kind: 'rooms', count: counted(number, text, 'rooms', ROOMS_MAX), typeId },
    length,
  };
}

function counted(
  number: number,
  text: string,
  what: 'nights' | 'rooms' | 'adults' | 'children',
  max: number,
): number {
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw new Refused({ code: 'bad_count', text, what, max });
  return number;
}

function wordAt(words: readonly string[], at: number, context: Context): Taken | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  if (RANGE_WORD.test(word)) return { token: { kind: 'range' }, length: 1 };
  const typeId = typeOf(word, context);
  return typeId === undefined
    ? undefined
    : { token: { kind: 'rooms', count: 1, typeId }, length: 1 };
}

/** By code, by the beginning of a word of the name, by the trade's short words. Several: unclear. */
function typeOf(word: string, context: Context): string | undefined {
  const exact = context.types.find(
    (type) => type.code.toLowerCase() === word || type.name.toLowerCase() === word,
  );
  if (exact) return exact.id;
  if (!/^\p{L}/u.test(word) || word.length < 2) return undefined;
  const meant = TYPE_WORDS[word] ?? word;
  const matches = context.types.filter(
    (type) =>
      type.code.toLowerCase().startsWith(word) ||
      type.name
        .toLowerCase()
        .split(/[\s/-]+/)
        .some((part) => part.startsWith(meant)),
  );
  const [only, ...others] = matches;
  if (!only) return undefined;
  if (others.length === 0) return only.id;
  throw new Refused({
    code: 'unclear_type',
    text: word,
    choices: matches.map((type) => type.code),
  });
}
