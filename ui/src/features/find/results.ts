import type { FindAnswer } from '../../generated/FindAnswer';
import type { GuestRow } from '../../generated/GuestRow';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { HOTKEYS, type Hotkey, type HotkeyId } from '../../shared/hotkeys';
import { matches } from '../../shared/search';

export type Result =
  | { kind: 'head'; id: string; text: string }
  | { kind: 'act'; id: string; hotkey: HotkeyId }
  | { kind: 'stay'; id: string; line: StayLine; why: string | undefined }
  | { kind: 'guest'; id: string; guest: GuestRow }
  | { kind: 'room'; id: string; room: RoomRow };

const ACTS = (Object.keys(HOTKEYS) as HotkeyId[]).filter((id) => (HOTKEYS[id] as Hotkey).palette);

function group(text: string, results: Result[]): Result[] {
  return results.length === 0 ? [] : [{ kind: 'head', id: `head ${text}`, text }, ...results];
}

/** What the palette shows for a text: stays and rooms first, then guests, then acts. */
export function resultsOf(
  query: string,
  found: FindAnswer | undefined,
  rooms: readonly RoomRow[],
): Result[] {
  const acts = ACTS.filter((id) => query === '' || matches(t(HOTKEYS[id].label), query)).map(
    (id): Result => ({ kind: 'act', id: `act ${id}`, hotkey: id }),
  );
  if (query === '') return group(t('find.acts'), acts);
  const why = new Map(found?.reasons.map((reason) => [reason.reservation_id, reason.text]));
  const stays = (found?.stays ?? []).map(
    (line): Result => ({ kind: 'stay', id: `stay ${line.id}`, line, why: why.get(line.id) }),
  );
  const guests = (found?.guests ?? [])
    .filter((guest) => !guest.erased)
    .slice(0, 8)
    .map((guest): Result => ({ kind: 'guest', id: `guest ${guest.id}`, guest }));
  const doors = rooms
    .filter((room) => room.active && room.number.toLowerCase().startsWith(query.toLowerCase()))
    .slice(0, 5)
    .map((room): Result => ({ kind: 'room', id: `room ${room.id}`, room }));
  return [
    ...group(t('find.stays'), stays),
    ...group(t('find.rooms'), doors),
    ...group(t('find.guests'), guests),
    ...group(t('find.acts'), acts),
  ];
}
