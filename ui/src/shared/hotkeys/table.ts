// Every key of the program, once. Handlers, the hints shown while Alt is held, and the command
// palette read this table; `table.test.ts` refuses two acts on one key of one scope.
import type { MessageId } from '../../i18n';

export interface Hotkey {
  /** As `KeyboardEvent.key`, with modifiers before it: `Ctrl+k`, `F5`, `/`. The first is shown. */
  keys: readonly string[];
  label: MessageId;
  /** `everywhere` also works while typing; `global` not; any other scope only where it is mounted. */
  scope: 'everywhere' | 'global' | 'list' | 'panel' | 'form' | 'chart';
  /** Offered in the command palette. */
  palette?: boolean;
}

export const HOTKEYS = {
  today: { keys: ['1', 'Alt+1'], label: 'place.today', scope: 'global', palette: true },
  chart: { keys: ['2', 'Alt+2'], label: 'place.chart', scope: 'global' },
  new: { keys: ['3', 'Alt+3'], label: 'place.new', scope: 'global' },
  find_place: { keys: ['4', 'Alt+4'], label: 'place.find', scope: 'global' },
  position: { keys: ['5', 'Alt+5'], label: 'place.position', scope: 'global' },
  tasks: { keys: ['6', 'Alt+6'], label: 'place.tasks', scope: 'global', palette: true },
  find: { keys: ['Ctrl+k'], label: 'act.find', scope: 'everywhere' },
  find_slash: { keys: ['/'], label: 'act.find', scope: 'global' },
  new_reservation: { keys: ['F2'], label: 'act.new_reservation', scope: 'everywhere', palette: true },
  house_position: { keys: ['F3'], label: 'act.position', scope: 'everywhere', palette: true },
  walk_in: { keys: ['F4'], label: 'act.walk_in', scope: 'everywhere', palette: true },
  tape_chart: { keys: ['F5'], label: 'act.tape_chart', scope: 'everywhere', palette: true },
  arrivals: { keys: ['F6'], label: 'act.arrivals', scope: 'everywhere', palette: true },
  in_house: { keys: ['F7'], label: 'act.in_house', scope: 'everywhere', palette: true },
  departures: { keys: ['F8'], label: 'act.departures', scope: 'everywhere', palette: true },
  back: { keys: ['Escape'], label: 'act.back', scope: 'everywhere' },
  next_step: { keys: ['Enter'], label: 'act.next_step', scope: 'form' },
  print: { keys: ['Ctrl+p'], label: 'act.print', scope: 'everywhere', palette: true },
  reserve: { keys: ['Ctrl+Enter'], label: 'act.reserve', scope: 'everywhere' },
  chart_today: { keys: ['t'], label: 'act.chart_today', scope: 'chart' },
  chart_jump: { keys: ['g'], label: 'act.chart_jump', scope: 'chart' },
  chart_zoom_in: { keys: ['+', '='], label: 'act.chart_zoom_in', scope: 'chart' },
  chart_zoom_out: { keys: ['-'], label: 'act.chart_zoom_out', scope: 'chart' },
  chart_month_forward: {
    keys: ['Ctrl+ArrowRight'],
    label: 'act.chart_month_forward',
    scope: 'chart',
  },
  chart_month_back: { keys: ['Ctrl+ArrowLeft'], label: 'act.chart_month_back', scope: 'chart' },
  chart_group: { keys: ['v'], label: 'act.chart_group', scope: 'chart' },
} as const satisfies Record<string, Hotkey>;

export type HotkeyId = keyof typeof HOTKEYS;
