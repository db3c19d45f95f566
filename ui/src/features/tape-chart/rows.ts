// The chart's rows in order: a head per type or floor with its rooms below. Identity is the row's key,
// never its index, so that a cursor stays with its room whatever the rows around it do.
import type { RoomRow } from '../../generated/RoomRow';
import type { RoomTypeRow } from '../../generated/RoomTypeRow';

export type Grouping = 'type' | 'floor';

export type ChartRow =
  | { kind: 'type'; key: string; type: RoomTypeRow; rooms: number }
  | { kind: 'floor'; key: string; floor: string; rooms: number }
  | { kind: 'room'; key: string; room: RoomRow; type: RoomTypeRow | undefined };

/** `2` before `10`, `B2` after `A10`. */
export function byNumber(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

export function chartRows(
  rooms: readonly RoomRow[],
  types: readonly RoomTypeRow[],
  grouping: Grouping,
  closed: ReadonlySet<string> = new Set(),
): ChartRow[] {
  const typeOf = new Map(types.map((type) => [type.id, type]));
  const active = rooms.filter((room) => room.active);
  const rows: ChartRow[] = [];
  const add = (head: ChartRow, inside: RoomRow[]): void => {
    rows.push(head);
    if (closed.has(head.key)) return;
    for (const room of inside) {
      rows.push({ kind: 'room', key: room.id, room, type: typeOf.get(room.room_type_id) });
    }
  };
  if (grouping === 'type') {
    const order = [...types].sort(
      (left, right) => left.sort - right.sort || byNumber(left.code, right.code),
    );
    for (const type of order) {
      const inside = active
        .filter((room) => room.room_type_id === type.id)
        .sort((left, right) => byNumber(left.number, right.number));
      if (inside.length === 0 && !type.active) continue;
      add({ kind: 'type', key: `type:${type.id}`, type, rooms: inside.length }, inside);
    }
    return rows;
  }
  const floors = [...new Set(active.map((room) => room.floor))].sort(byNumber);
  for (const floor of floors) {
    const inside = active
      .filter((room) => room.floor === floor)
      .sort((left, right) => byNumber(left.number, right.number));
    add({ kind: 'floor', key: `floor:${floor}`, floor, rooms: inside.length }, inside);
  }
  return rows;
}
