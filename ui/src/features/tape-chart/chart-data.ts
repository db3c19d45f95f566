// The chart's data joined from the blocks that were asked for. A room's bars keep their list when nothing
// in it has changed, so that a row which is the same is not drawn again.
import type { Chart } from '../../generated/Chart';
import type { ChartBar } from '../../generated/ChartBar';
import type { PositionCell } from '../../generated/PositionCell';
import type { RoomRow } from '../../generated/RoomRow';
import type { RoomTypeRow } from '../../generated/RoomTypeRow';
import type { StayLine } from '../../generated/StayLine';
import { toNumber } from '../../shared/days';

/** The house's own rows are named by the nil id. */
export const HOUSE_ID = '00000000-0000-0000-0000-000000000000';

export interface ChartData {
  types: readonly RoomTypeRow[];
  rooms: readonly RoomRow[];
  roomOf: ReadonlyMap<string, RoomRow>;
  bars: ReadonlyMap<string, ChartBar>;
  /** Every stay of the chart, with and without a room. */
  stays: ReadonlyMap<string, StayLine>;
  barsOf: ReadonlyMap<string, readonly ChartBar[]>;
  /** Without a room, by arrival; what is over a limit apart. */
  unassigned: readonly StayLine[];
  overLimit: readonly StayLine[];
  /** Per type (or the house) and day number. */
  cells: ReadonlyMap<string, ReadonlyMap<number, PositionCell>>;
}

export const NO_DATA: ChartData = {
  types: [],
  rooms: [],
  roomOf: new Map(),
  bars: new Map(),
  stays: new Map(),
  barsOf: new Map(),
  unassigned: [],
  overLimit: [],
  cells: new Map(),
};

export const NO_BARS: readonly ChartBar[] = [];

export function joinCharts(charts: readonly Chart[], before: ChartData): ChartData {
  const newest = charts[charts.length - 1];
  if (!newest) return before;

  const bars = new Map<string, ChartBar>();
  const waitingOf = new Map<string, StayLine>();
  const cells = new Map<string, Map<number, PositionCell>>();
  for (const chart of charts) {
    for (const bar of chart.bars) bars.set(bar.id, bar);
    for (const stay of chart.unassigned) waitingOf.set(stay.id, stay);
    for (const cell of chart.cells) {
      let nights = cells.get(cell.room_type_id);
      if (!nights) cells.set(cell.room_type_id, (nights = new Map()));
      nights.set(toNumber(cell.stay_date), cell);
    }
  }

  const barsOf = new Map<string, ChartBar[]>();
  for (const bar of bars.values()) {
    const list = barsOf.get(bar.room_id);
    if (list) list.push(bar);
    else barsOf.set(bar.room_id, [bar]);
  }
  const kept = new Map<string, readonly ChartBar[]>();
  for (const [room, list] of barsOf) {
    list.sort(
      (left, right) => left.from.localeCompare(right.from) || left.id.localeCompare(right.id),
    );
    kept.set(room, sameOr(before.barsOf.get(room), list));
  }

  const stays = new Map(waitingOf);
  for (const bar of bars.values()) if (bar.stay) stays.set(bar.stay.id, bar.stay);
  const waiting = [...waitingOf.values()].sort(
    (left, right) => left.check_in.localeCompare(right.check_in) || left.id.localeCompare(right.id),
  );
  return {
    types: newest.types,
    rooms: newest.rooms,
    roomOf: new Map(newest.rooms.map((room) => [room.id, room])),
    bars,
    stays,
    barsOf: kept,
    unassigned: sameOr(
      before.unassigned,
      waiting.filter((stay) => !stay.over_limit),
    ),
    overLimit: sameOr(
      before.overLimit,
      waiting.filter((stay) => stay.over_limit),
    ),
    cells,
  };
}

/** The former list when the new one has the same things in it. */
function sameOr<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  const same = before?.length === now.length && before.every((item, index) => item === now[index]);
  return same && before ? before : now;
}

/** The bar that fills a night of a room; a period before a stay where both do (a guest stays all the same). */
export function barOn(bars: readonly ChartBar[], day: string): ChartBar | undefined {
  const there = bars.filter(
    (bar) => (bar.from <= day && day < bar.until) || (bar.from === day && bar.until === day),
  );
  return there.find((bar) => bar.kind === 'stay') ?? there[0];
}

/** How a bar looks. Meaning by shape as well as by hue. */
export type Look =
  | 'in_house'
  | 'due_out'
  | 'confirmed'
  | 'held'
  | 'over_limit'
  | 'gone'
  | 'out_of_order'
  | 'out_of_service';

export function lookOf(kind: ChartBar['kind'], stay: StayLine | null, businessDate: string): Look {
  if (kind === 'out_of_order') return 'out_of_order';
  if (kind === 'out_of_service') return 'out_of_service';
  if (!stay) return 'gone';
  if (stay.state === 'held') return 'held';
  if (stay.state === 'checked_in') return stay.check_out <= businessDate ? 'due_out' : 'in_house';
  if (stay.state === 'confirmed') return stay.over_limit ? 'over_limit' : 'confirmed';
  return 'gone';
}
