import type { ComponentType } from 'react';
import type { HotkeyId } from '../shared/hotkeys';
import type { MessageId } from '../i18n';
import { Position } from '../features/position/Position';
import { Tasks } from '../features/tasks/Tasks';
import { Today } from '../features/today/Today';
import { CheckIn } from '../features/check-in/CheckIn';
import { ReservationPage } from '../features/reservation/ReservationPage';
import { later } from './later';

const tapeChart = later(() => import('../features/tape-chart').then((module) => module.TapeChart));
const newReservation = later(() =>
  import('../features/new-reservation').then((module) => module.NewReservation),
);

/** Loads what opens later while nobody waits for it, so that its keys open it at once. */
export function loadAhead(): void {
  void tapeChart.ahead();
  void newReservation.ahead();
}

export interface Place {
  label: MessageId;
  screen: ComponentType;
}

/** Every place of the address, by its first part. */
export const PLACES: Record<string, Place> = {
  today: { label: 'place.today', screen: Today },
  chart: { label: 'place.chart', screen: tapeChart.Screen },
  new: { label: 'place.new', screen: newReservation.Screen },
  position: { label: 'place.position', screen: Position },
  tasks: { label: 'place.tasks', screen: Tasks },
  'check-in': { label: 'place.check-in', screen: CheckIn },
  reservation: { label: 'place.reservation', screen: ReservationPage },
};

/** What the rail shows, in order of its keys. `find` opens the palette instead of a place. */
export const RAIL: readonly { place: string; hotkey: HotkeyId; label: MessageId; icon: string }[] = [
  { place: 'today', hotkey: 'today', label: 'place.today', icon: 'M3 5h14M3 10h14M3 15h9' },
  {
    place: 'chart',
    hotkey: 'chart',
    label: 'place.chart',
    icon: 'M3 4v13M3 6h7M6 10.5h8M10 15h7',
  },
  { place: 'new', hotkey: 'new', label: 'place.new', icon: 'M10 4v12M4 10h12' },
  {
    place: 'find',
    hotkey: 'find_place',
    label: 'place.find',
    icon: 'M13.5 13.5 17 17M14.5 9a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z',
  },
  {
    place: 'position',
    hotkey: 'position',
    label: 'place.position',
    icon: 'M4 17V9M8 17V4M12 17v-6M16 17V7',
  },
  {
    place: 'tasks',
    hotkey: 'tasks',
    label: 'place.tasks',
    icon: 'M3 5.5 5 7.5 8 4M11 6h6M3 12.5l2 2 3-3.5M11 13.5h6',
  },
];
