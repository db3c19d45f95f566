// From what is typed and chosen to what is held, and what is said of it.
import type { Problem } from '../../generated/Problem';
import { t } from '../../i18n';
import { formatClock } from '../../shared/format';
import type { StayWish } from '../../shared/stay-text';
import { fullNights } from './alternatives';
import type { HoldWish } from './hold-keeper';

/** Adults of a room of whom nothing is known. */
export const ADULTS_USUAL = 2;

export function wishOf(
  stay: StayWish,
  typeId: string | undefined,
  walkIn: boolean,
  types: readonly { id: string; max_occupancy: number }[],
): HoldWish {
  return {
    channel: walkIn ? 'walk_in' : 'desk',
    checkIn: stay.checkIn,
    checkOut: stay.checkOut,
    rooms: stay.rooms.flatMap((wish) => {
      const id = wish.typeId ?? typeId ?? '';
      const most = types.find((type) => type.id === id)?.max_occupancy ?? ADULTS_USUAL;
      const adults = stay.adults ?? Math.min(ADULTS_USUAL, most);
      return Array.from({ length: wish.count }, () => ({ typeId: id, adults, children: [] }));
    }),
  };
}

/** The nights that the server named; those of the local copy where it named none. */
export function soldNights(
  problem: Problem,
  type: Parameters<typeof fullNights>[0] | undefined,
  rooms: number,
): string[] {
  const named = [...new Set((problem.nights ?? []).map((night) => night.stay_date))];
  return named.length > 0 ? named : type ? fullNights(type, rooms) : [];
}

export function heldText(
  record: { wish: HoldWish; expiresAt: number | undefined },
  seconds: number | undefined,
  resumed: boolean,
  timeZone: string,
  types: readonly { id: string; code: string }[],
): string {
  const until =
    seconds !== undefined
      ? t('new.hold.ends', {
          time: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
        })
      : resumed && record.expiresAt !== undefined
        ? t('new.hold.until', {
            time: formatClock(new Date(record.expiresAt).toISOString(), timeZone),
          })
        : t('new.hold.held');
  return `${whatText(record.wish, types)} · ${until}`;
}

/** `2 × STD`, `1 × STD + 2 × DLX`. */
export function whatText(wish: HoldWish, types: readonly { id: string; code: string }[]): string {
  const counts = new Map<string, number>();
  for (const room of wish.rooms) counts.set(room.typeId, (counts.get(room.typeId) ?? 0) + 1);
  const many = wish.rooms.length > 1;
  return [...counts]
    .map(([id, count]) => {
      const code = types.find((type) => type.id === id)?.code ?? '';
      return many ? `${count} × ${code}` : code;
    })
    .join(' + ');
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
