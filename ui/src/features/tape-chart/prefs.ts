// How this desk looks at the chart: kept on this machine, nothing of the hotel's in it.
import { COLUMN_PX_DEFAULT, COLUMN_PX_MAX, COLUMN_PX_MIN } from './geometry';
import type { Grouping } from './rows';

export interface ChartPrefs {
  columnPx: number;
  grouping: Grouping;
  closed: string[];
}

const KEY = 'nightdesk.chart';

export function loadPrefs(): ChartPrefs {
  const prefs: ChartPrefs = { columnPx: COLUMN_PX_DEFAULT, grouping: 'type', closed: [] };
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return prefs;
    const { columnPx, grouping, closed } = kept as Partial<ChartPrefs>;
    if (typeof columnPx === 'number' && columnPx >= COLUMN_PX_MIN && columnPx <= COLUMN_PX_MAX)
      prefs.columnPx = columnPx;
    if (grouping === 'floor') prefs.grouping = grouping;
    if (Array.isArray(closed)) prefs.closed = closed.filter((key) => typeof key === 'string');
  } catch {
    // What is kept cannot be read: the usual view is as good.
  }
  return prefs;
}

export function savePrefs(prefs: ChartPrefs): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // No room to keep it: the view works all the same.
  }
}
