// The chart's data joined from the blocks that were asked for. A block is indexed once; a room's bars are
// joined when its row is drawn, and keep their list when nothing in it has changed, so that a row which
// is the same is not drawn again.
import type { Chart } from '../../generated/Chart';
import type { ChartBar } from '../../generated/ChartBar';
import type { PositionCell } from '../../generated/PositionCell';
import type { RoomRow } from '../../generated/RoomRow';
import type { RoomTypeRow } from '../../generated/RoomTypeRow';
import type { StayLine } from '../../generated/StayLine';
import { toNumber } from '../../shared/days';

/** The house's own rows are named by the nil id. */
export const HOUSE_ID = '00000000-0000-0000-0000-000000000000';

export const NO_BARS: readonly ChartBar[] = [];

interface Index {
  byRoom: Map<string, ChartBar[]>;
  outOfOrder: ChartBar[];
  byBar: Map<string, ChartBar>;
  byStay: Map<string, StayLine>;
  cells: Map<string, Map<number, PositionCell>>;
}

const indexes = new WeakMap<Chart, Index>();

function indexOf(chart: Chart): Index {
  const known = indexes.get(chart);
  if (known) return known;
  const index: Index = {
    byRoom: new Map(),
    outOfOrder: chart.bars.filter((bar) => bar.kind === 'out_of_order'),
    byBar: new Map(),
    byStay: new Map(),
    cells: new Map(),
  };
  for (const bar of chart.bars) {
    const list = index.byRoom.get(bar.room_id);
    if (list) list.push(bar);
    else index.byRoom.set(bar.room_id, [bar]);
    index.byBar.set(bar.id, bar);
    if (bar.stay) index.byStay.set(bar.stay.id, bar.stay);
  }
  for (const stay of chart.unassigned) index.byStay.set(stay.id, stay);
  for (const cell of chart.cells) {
    let nights = index.cells.get(cell.room_type_id);
    if (!nights) index.cells.set(cell.room_type_id, (nights = new Map()));
    nights.set(toNumber(cell.stay_date), cell);
  }
  indexes.set(chart, index);
  return index;
}

export class ChartData {
  readonly types: readonly RoomTypeRow[];
  readonly rooms: readonly RoomRow[];
  /** Without a room, by arrival. */
  readonly unassigned: readonly StayLine[];
  private readonly indexes: readonly Index[];
  private readonly roomOf: ReadonlyMap<string, RoomRow>;
  private readonly joined = new Map<string, readonly ChartBar[]>();
  private before: ChartData | undefined;

  constructor(charts: readonly Chart[], before?: ChartData) {
    const newest = charts[charts.length - 1];
    this.types = newest?.types ?? [];
    this.rooms = newest?.rooms ?? [];
    this.roomOf = new Map(this.rooms.map((room) => [room.id, room]));
    this.indexes = charts.map(indexOf);
    this.before = before;
    // One step back is enough to keep what was drawn last.
    if (before) before.before = undefined;

    const waiting = new Map<string, StayLine>();
    for (const chart of charts) for (const stay of chart.unassigned) waiting.set(stay.id, stay);
    const sorted = [...waiting.values()].sort(
      (left, right) => compare(left.check_in, right.check_in) || compare(left.id, right.id),
    );
    this.unassigned = sameOr(before?.unassigned, sorted);
  }

  barsOf(roomId: string): readonly ChartBar[] {
    const known = this.joined.get(roomId);
    if (known) return known;
    const found = new Map<string, ChartBar>();
    for (const index of this.indexes)
      for (const bar of index.byRoom.get(roomId) ?? NO_BARS) found.set(bar.id, bar);
    const list = [...found.values()].sort(
      (left, right) => compare(left.from, right.from) || compare(left.id, right.id),
    );
    const kept = sameOr(this.before?.joined.get(roomId), list.length === 0 ? NO_BARS : list);
    this.joined.set(roomId, kept);
    return kept;
  }

  room(id: string): RoomRow | undefined {
    return this.roomOf.get(id);
  }

  /** Periods out of order. */
  outOfOrder(): ChartBar[] {
    return this.indexes.flatMap((index) => index.outOfOrder);
  }

  bar(id: string): ChartBar | undefined {
    return this.last((index) => index.byBar.get(id));
  }

  stay(id: string): StayLine | undefined {
    return this.last((index) => index.byStay.get(id));
  }

  /** The position of a type (or the house) on a day by its number. */
  cell(typeId: string, day: number): PositionCell | undefined {
    return this.last((index) => index.cells.get(typeId)?.get(day));
  }

  private last<T>(find: (index: Index) => T | undefined): T | undefined {
    for (let at = this.indexes.length - 1; at >= 0; at -= 1) {
      const index = this.indexes[at];
      const found = index && find(index);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export const NO_DATA = new ChartData([]);

/** What was shown stays while nothing is there yet. */
export function joinCharts(charts: readonly Chart[], before: ChartData): ChartData {
  return charts.length === 0 ? before : new ChartData(charts, before);
}

/** The former list when the new one has the same things in it. */
function sameOr<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  const same = before?.length === now.length && before.every((item, index) => item === now[index]);
  return same && before ? before : now;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
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
