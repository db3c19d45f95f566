// What is under a row and a day, in things and in words, and what a stay may do there.
import type { HotelRow } from '../../generated/HotelRow';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { fromNumber } from '../../shared/days';
import { formatDate } from '../../shared/format';
import { barOn, type ChartData, HOUSE_ID } from './chart-data';
import type { Cell } from './cursor';
import { type Place, place, type Target } from './legality';
import type { ChartRow } from './rows';
import { barFacts, placeText, positionFacts, stayFacts } from './words';

/** Keys of rows: a room's id, `lane:3` of those without a room, `type:ID`, `floor:2`, `house`. */
export function isLane(key: string): boolean {
  return key.startsWith('lane:');
}

/**
 * A night of a room begins at noon, half a column on; the limits of a night stand in its day's own
 * column.
 */
export function noonOf(key: string): number {
  return key === 'house' || key.startsWith('type:') || key.startsWith('floor:') ? 0 : 0.5;
}

export class ChartCells {
  constructor(
    private readonly data: ChartData,
    private readonly rows: readonly ChartRow[],
    private readonly rowIndex: ReadonlyMap<string, number>,
    private readonly lanes: readonly (readonly StayLine[])[],
    private readonly hotel: HotelRow,
  ) {}

  row(key: string): ChartRow | undefined {
    return this.rows[this.rowIndex.get(key) ?? -1];
  }

  room(key: string | undefined): RoomRow | undefined {
    const row = key === undefined ? undefined : this.row(key);
    return row?.kind === 'room' ? row.room : undefined;
  }

  stay(cell: Cell): StayLine | undefined {
    const day = fromNumber(cell.day);
    if (!isLane(cell.row)) return barOn(this.data.barsOf(cell.row), day)?.stay ?? undefined;
    const lane = this.lanes[Number(cell.row.slice('lane:'.length))] ?? [];
    return lane.find(
      (stay) =>
        stay.check_in <= day &&
        (day < stay.check_out || (stay.check_in === day && stay.check_out === day)),
    );
  }

  /** Whether a stay may go into a row, and what that would do. */
  place(stay: StayLine, key: string | undefined): Place {
    return place(stay, this.target(key), (id) => this.data.barsOf(id), this.hotel.business_date);
  }

  /** The same in words. */
  text(stay: StayLine, key: string | undefined): string {
    return placeText(this.place(stay, key), stay, this.room(key), this.hotel);
  }

  /** One line on what a cell holds. */
  facts(cell: Cell): string {
    return this.factList(cell).join(' · ');
  }

  private target(key: string | undefined): Target {
    if (key === undefined) return { kind: 'elsewhere' };
    if (isLane(key)) return { kind: 'unassigned' };
    const room = this.room(key);
    return room ? { kind: 'room', room } : { kind: 'elsewhere' };
  }

  private factList(cell: Cell): string[] {
    const { hotel } = this;
    const day = fromNumber(cell.day);
    const stay = this.stay(cell);
    if (stay) return stayFacts(stay, hotel);
    const date = formatDate(day, hotel.business_date);
    if (isLane(cell.row)) return [t('chart.unassigned'), date, t('chart.cell_nobody')];
    if (cell.row === 'house') return this.position(HOUSE_ID, t('common.house'), cell.day);
    const row = this.row(cell.row);
    if (!row) return [];
    if (row.kind === 'type') return this.position(row.type.id, row.type.name, cell.day);
    if (row.kind === 'floor') {
      return [t('chart.floor', { floor: row.floor }), t('chart.rooms', { count: row.rooms })];
    }
    const bar = barOn(this.data.barsOf(row.room.id), day);
    if (bar) return barFacts(bar, row.room, hotel);
    return [
      t('chart.room_type', { room: row.room.number, type: row.type?.code ?? '' }),
      date,
      t('chart.cell_free'),
      ...(day === hotel.business_date ? [t(`room_status.${row.room.status}`)] : []),
    ];
  }

  private position(typeId: string, name: string, day: number): string[] {
    const cell = this.data.cell(typeId, day);
    return cell
      ? positionFacts(cell, name, this.hotel)
      : [name, formatDate(fromNumber(day), this.hotel.business_date)];
  }
}
