// A made-up hotel in memory, for looking at the screens without a desk program: `npm run dev`, then
// `?stub`. It answers reads, and takes a check-in and a check-out as a desk would show them. It is never
// part of what is built.
import type { Catalogue } from '../generated/Catalogue';
import type { Command } from '../generated/Command';
import type { PositionCell } from '../generated/PositionCell';
import type { ReservationDetail } from '../generated/ReservationDetail';
import type { RoomRow } from '../generated/RoomRow';
import type { RoomTypeRow } from '../generated/RoomTypeRow';
import type { Session } from '../generated/Session';
import type { Status } from '../generated/Status';
import type { StayLine } from '../generated/StayLine';
import type { SuggestAnswer } from '../generated/SuggestAnswer';
import type { Today } from '../generated/Today';
import { setPlatform } from '../platform';
import { addDays, eachNight, nightsBetween } from '../shared/format';
import { matches } from '../shared/search';

const DAY = '2026-11-30';
const HOUSE = '00000000-0000-0000-0000-000000000000';
let seed = 7;
const random = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  // The low bits of such a generator repeat too soon.
  return (seed >> 12) % below;
};
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

const TYPES: RoomTypeRow[] = [
  ['STD', 'Standard double', 46],
  ['TWN', 'Twin', 24],
  ['SUP', 'Superior', 22],
  ['DLX', 'Deluxe sea view', 14],
  ['FAM', 'Family', 8],
  ['SUI', 'Suite', 6],
].map(([code, name], sort) => ({
  id: `type-${String(code)}`,
  code: String(code),
  name: String(name),
  max_occupancy: 3,
  sort,
  active: true,
}));
const COUNTS = [46, 24, 22, 14, 8, 6];

const ROOMS: RoomRow[] = TYPES.flatMap((type, at) =>
  Array.from({ length: COUNTS[at]! }, (_, place): RoomRow => {
    const floor = 1 + (place % 6);
    return {
      id: `room-${type.code}-${place}`,
      room_type_id: type.id,
      number: `${floor}${String(at * 4 + Math.floor(place / 6) + 1).padStart(2, '0')}`,
      floor: String(floor),
      status: pick(['clean', 'clean', 'inspected', 'dirty']),
      features: random(3) === 0 ? ['sea_view'] : [],
      active: true,
      version: 1,
    };
  }),
);

const NAMES = [
  'Ana García López', 'Jürgen Müller', 'Björk Guðmundsdóttir', '山田 太郎', 'Мария Иванова', 'Łukasz Żółć',
  'Nguyễn Thị Minh Khai', 'محمد عبد الله', 'O’Neill, Siobhán', 'Θεόδωρος Παπαδόπουλος', 'Kim Min-jun', 'Ito',
  'Wolfeschlegelsteinhausenbergerdorff', 'José Luis Rodríguez', 'Élise Lefèvre', 'Kaya Öztürk', 'Lopez', 'Ng',
];

let made = 0;
function stay(state: StayLine['state'], from: string, nights: number): StayLine {
  made += 1;
  const type = pick(TYPES);
  const rooms = ROOMS.filter((room) => room.room_type_id === type.id);
  const room = state === 'checked_in' || random(3) > 0 ? pick(rooms) : null;
  const total = nights * (9_000 + random(60) * 100);
  return {
    id: `stay-${made}`,
    booking_id: `booking-${made}`,
    number: `K7Q2M-${String(10_000 + made * 7)}`,
    party_rooms: random(9) === 0 ? 3 : 1,
    state,
    guest_name: made % 17 === 5 ? '' : pick(NAMES),
    vip: random(12) === 0,
    check_in: from,
    check_out: addDays(from, nights),
    nights,
    type_code: type.code,
    room_type_id: type.id,
    adults: 1 + random(2),
    children: random(5) === 0 ? 1 : 0,
    room_number: room?.number ?? null,
    room_id: room?.id ?? null,
    room_status: room?.status ?? null,
    guarantee: pick(['none', 'card', 'deposit', 'prepaid', 'company', 'agent']),
    expected_time: random(3) === 0 ? null : `${12 + random(10)}:${pick(['00', '30'])}:00`,
    hold_expires_at: state === 'held' ? '2026-11-30T12:40:00Z' : null,
    total,
    balance: random(3) === 0 ? 0 : total,
    has_notes: random(4) === 0,
    do_not_move: random(10) === 0,
    over_limit: made % 29 === 0,
    unsent: false,
    version: 1,
  };
}

let stays: StayLine[] = [
  ...Array.from({ length: 41 }, () => stay('checked_in', addDays(DAY, -1 - random(4)), 1 + random(6))),
  ...Array.from({ length: 23 }, () => stay('confirmed', DAY, 1 + random(5))),
  ...Array.from({ length: 2 }, () => stay('held', DAY, 2)),
  ...Array.from({ length: 3 }, () => stay('checked_out', addDays(DAY, -3), 3)),
].map((line) => (line.state === 'checked_in' && line.check_out < DAY ? { ...line, check_out: DAY } : line));

export function today(): Today {
  const of = (test: (line: StayLine) => boolean) => stays.filter(test);
  return {
    business_date: DAY,
    due_in: of((line) => line.state === 'confirmed'),
    in_house: of((line) => line.state === 'checked_in'),
    due_out: of((line) => line.state === 'checked_in' && line.check_out <= DAY),
    unassigned: of((line) => line.state === 'confirmed' && line.room_id === null),
    on_hold: of((line) => line.state === 'held'),
    departed: of((line) => line.state === 'checked_out'),
  };
}

function cell(at: number, night: string): PositionCell {
  const total = at < 0 ? 120 : COUNTS[at]!;
  const out = at === 0 ? 2 : 0;
  const limit = total - out + (at < 0 ? 2 : 0);
  const wave = (nightsBetween(DAY, night) * 7 + at * 5) % 11;
  const left = at === 3 && night === DAY ? -1 : Math.floor((limit * wave) / 14);
  return {
    room_type_id: at < 0 ? HOUSE : TYPES[at]!.id,
    code: at < 0 ? 'House' : TYPES[at]!.code,
    stay_date: night,
    total,
    out_of_order: out,
    sold: limit - left - (at === 1 ? 1 : 0),
    on_hold: at === 1 ? 1 : 0,
    lent: 0,
    limit,
    left,
    binds: at < 0 && wave < 4,
  };
}

function cells(from: string, nights: number): PositionCell[] {
  return [0, 1, 2, 3, 4, 5, -1].flatMap((at) => eachNight(from, nights).map((night) => cell(at, night)));
}

let user: Session['user'] = {
  staff_id: 'staff-1',
  display_name: 'Ana',
  role: 'front_desk',
  hotel_id: 'hotel-1',
  hotel_name: 'Hotel Miramar',
};

function session(): Session {
  return { user, server: 'http://127.0.0.1:7080', last_name: 'ana', device_name: 'desk 1', keyring_problem: null };
}

const hotel: Catalogue['hotel'] = {
  id: 'hotel-1',
  name: 'Hotel Miramar',
  slug: 'miramar',
  time_zone: 'Europe/Madrid',
  currency: 'EUR',
  business_date: DAY,
  check_in_time: '15:00:00',
  check_out_time: '11:00:00',
  release_time: '18:00:00',
  hold_minutes: 15,
  hold_minutes_max: 60,
  window_days: 400,
};

/** `?stub=offline`, `?stub=first`, `?stub=again`: how the strip and the first sync look then. */
const variant = new URLSearchParams(globalThis.location?.search).get('stub');

function status(): Status {
  if (variant === 'offline') {
    const sync = { phase: 'offline', since: '2026-11-30T13:02:00Z' } as const;
    return { sync, hotel, unsent: 6, tasks: 2, cursor: 1, tonight: cells(DAY, 1), day_overdue: true };
  }
  if (variant === 'first') {
    const sync = { phase: 'first_sync', done: 21_300, total: 80_000 } as const;
    return { sync, hotel: null, unsent: 0, tasks: 0, cursor: 0, tonight: [], day_overdue: false };
  }
  if (variant === 'again') {
    const sync = { phase: 'sign_in_again' } as const;
    return { sync, hotel, unsent: 2, tasks: 0, cursor: 1, tonight: cells(DAY, 1), day_overdue: false };
  }
  return { sync: { phase: 'in_sync' }, hotel, unsent: 0, tasks: 1, cursor: 1, tonight: cells(DAY, 1), day_overdue: false };
}

function detail(id: string): ReservationDetail {
  const line = stays.find((one) => one.id === id) ?? stays[0]!;
  const guest = {
    id: `guest-${line.id}`,
    version: 1,
    name: line.guest_name,
    email: 'guest@example.com',
    phone: '+34 600 000 001',
    company: null,
    language: 'es',
    country: 'ES',
    notes: line.vip ? 'Likes a quiet room away from the lift.' : '',
    vip: line.vip,
    erased: false,
  };
  return {
    line,
    row: {
      id: line.id,
      booking_id: line.booking_id,
      state: line.state,
      check_in: line.check_in,
      check_out: line.check_out,
      room_type_id: line.room_type_id,
      adults: line.adults,
      children: line.children ? [7] : [],
      guest_id: guest.id,
      further_guest_ids: [],
      guarantee: line.guarantee,
      release_at: null,
      hold_expires_at: line.hold_expires_at,
      rate_plan_id: null,
      segment: 'transient',
      expected_time: line.expected_time,
      do_not_move: line.do_not_move,
      day_use: false,
      share_of: null,
      checked_in_at: null,
      checked_out_at: null,
      notes: line.has_notes ? 'Late arrival by the 21:40 flight. Cot in the room, please.' : '',
      version: line.version,
      created_at: '2026-10-12T09:20:00Z',
      nights: eachNight(line.check_in, line.nights).map((stay_date) => ({
        stay_date,
        room_type_id: line.room_type_id,
        charged_type_id: line.room_type_id,
        price: Math.round(line.total / line.nights),
        counted: true,
      })),
    },
    booking: { id: line.booking_id, number: line.number, channel: 'web', external_id: null, created_at: '2026-10-12T09:20:00Z' },
    guest: line.guest_name ? guest : null,
    further_guests: [],
    party: line.party_rooms > 1 ? stays.slice(0, line.party_rooms - 1) : [],
    rooms: [],
    history: [
      { seq: 1, at: '2026-10-12T09:20:00Z', verb: 'hold', by: 'Rui', reason: null },
      { seq: 2, at: '2026-10-12T09:24:00Z', verb: 'confirm', by: 'Rui', reason: null },
    ],
  };
}

export function suggest(id: string): SuggestAnswer {
  const line = stays.find((one) => one.id === id)!;
  // Every fourth guest is offered a dirty room first.
  const dirtyFirst = Number(id.replace('stay-', '')) % 4 === 0;
  const rank = (room: RoomRow) => ((room.status === 'dirty') === dirtyFirst ? 0 : 1);
  const rooms = ROOMS.filter((room) => room.room_type_id === line.room_type_id)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 4);
  const up = ROOMS.find((room) => room.room_type_id === 'type-DLX')!;
  return {
    rooms: [...rooms, up].map((room, at) => ({
      room,
      type_code: TYPES.find((type) => type.id === room.room_type_id)!.code,
      ready: room.status !== 'dirty',
      reasons: [
        { word: room.status, good: room.status !== 'dirty', value: null },
        ...(room === up && line.type_code !== 'DLX'
          ? [{ word: 'upgrade', good: false, value: 'DLX' }]
          : [{ word: 'same_type', good: true, value: null }]),
        at % 2 === 0
          ? { word: 'no_gap', good: true, value: null }
          : { word: 'leaves_gap', good: false, value: '1' },
        { word: 'floor', good: true, value: room.floor },
      ],
    })),
  };
}

function run(command: Command): void {
  if (!('reservation_id' in command)) return;
  const change = (next: Partial<StayLine>) => {
    stays = stays.map((line) => (line.id === command.reservation_id ? { ...line, ...next } : line));
  };
  if (command.verb === 'check_in') {
    const room = ROOMS.find((one) => one.id === command.body.room_id);
    change({ state: 'checked_in', room_id: room?.id ?? null, room_number: room?.number ?? null });
  }
  if (command.verb === 'check_out') change({ state: 'checked_out', check_out: DAY });
  if (command.verb === 'cancel') change({ state: 'cancelled' });
  if (command.verb === 'no_show') change({ state: 'no_show' });
}

const answers: Record<string, (body: never) => unknown> = {
  'session.get': session,
  'session.sign_in': () => {
    user ??= { staff_id: 'staff-1', display_name: 'Ana', role: 'front_desk', hotel_id: 'hotel-1', hotel_name: hotel.name };
    return session();
  },
  'session.sign_out': () => {
    user = null;
    return session();
  },
  'status.get': status,
  'catalogue.get': (): Catalogue => ({ hotel, types: TYPES, rooms: ROOMS, staff: [] }),
  'position.get': (body: { from: string; nights: number }) => ({ cells: cells(body.from, body.nights) }),
  'today.get': today,
  'reservation.get': (body: { id: string }) => detail(body.id),
  'room.suggest': (body: { reservation_id: string }) => suggest(body.reservation_id),
  find: (body: { text: string }) => ({
    stays: stays.filter((line) => matches(`${line.guest_name} ${line.number} ${line.room_number}`, body.text)).slice(0, 12),
    reasons: [],
    guests: [],
  }),
  'command.submit': (body: { command: Command }) => {
    run(body.command);
    return { outcome: 'done', seq: 2, answer: null };
  },
  'command.list': () => ({
    unsent: [],
    tasks: [
      {
        id: 'command-1',
        made_at: '2026-11-30T13:10:00Z',
        command: { verb: 'check_in', reservation_id: 'stay-3', body: { room_id: null, room_not_ready_accepted: false } },
        about: 'Ana García López, 304',
        problem: { type: '', title: '', status: 409, code: 'room_taken', facts: { state: 'confirmed' } },
        attempts: 1,
      },
    ],
  }),
  'task.done': () => ({ unsent: [], tasks: [] }),
  'chart.get': (body: { from: string; nights: number }) => ({
    business_date: DAY,
    types: TYPES,
    rooms: ROOMS,
    bars: stays
      .filter((line) => line.room_id !== null && line.state !== 'cancelled')
      .map((line) => ({
        id: `use-${line.id}`,
        room_id: line.room_id,
        from: line.check_in,
        until: line.check_out,
        kind: 'stay',
        reason: null,
        stay: line,
      })),
    unassigned: stays.filter((line) => line.room_id === null && line.state === 'confirmed'),
    cells: cells(body.from, body.nights),
  }),
  'quote.get': (body: { check_in: string; check_out: string }) => ({
    currency: 'EUR',
    types: TYPES.map((room_type, at) => {
      const nights = eachNight(body.check_in, nightsBetween(body.check_in, body.check_out)).map((stay_date) => ({
        stay_date,
        left: Math.max(0, cell(at, stay_date).left),
        price: 9_000 + at * 2_500,
      }));
      return {
        room_type,
        left: Math.min(...nights.map((night) => night.left)),
        limit: COUNTS[at]!,
        total: nights.reduce((sum, night) => sum + night.price, 0),
        nights,
        restrictions: [],
      };
    }),
  }),
};

/** Puts the made-up hotel in the place of the desk; answers what was sent. `other` answers instead. */
export function installStub(other: Record<string, (body: never) => unknown> = {}): Command[] {
  let asked = 0;
  const sent: Command[] = [];
  setPlatform({
    rpc: async (method, body) => {
      if (method === 'changes.wait') {
        asked += 1;
        if (asked > 1) await new Promise(() => {});
        return { now: asked, tags: [], by: [] };
      }
      if (method === 'command.submit') sent.push((body as { command: Command }).command);
      const answer = other[method] ?? answers[method];
      if (!answer) throw new Error(`no ${method} in the stub`);
      return structuredClone(answer(body as never));
    },
  });
  return sent;
}
