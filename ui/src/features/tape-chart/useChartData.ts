import { useQueries } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Chart } from '../../generated/Chart';
import type { Problem } from '../../generated/Problem';
import { fromNumber } from '../../shared/days';
import { call, RpcFailure } from '../../shared/rpc';
import { type ChartData, joinCharts, NO_DATA } from './chart-data';
import { type Range, WINDOW_NIGHTS, windowsFor } from './geometry';

/**
 * The blocks of nights that are in sight and the next ones on either side. What was shown stays until
 * the answer for other nights is there.
 */
export function useChartData(
  days: Range,
  first: number,
  last: number,
): { data: ChartData; waiting: boolean; problem: Problem | undefined } {
  const windows = windowsFor(days.start, days.end, first, last);
  // Not by `combine`: it compares all that it has joined, field by field, at every step of a scroll.
  const results = useQueries({
    queries: windows.map((day) => {
      const request = { from: fromNumber(day), nights: Math.min(WINDOW_NIGHTS, last - day) };
      return { queryKey: ['chart.get', request], queryFn: () => call('chart.get', request) };
    }),
  });
  const answered = results.flatMap((result) => (result.data ? [result.data] : []));
  const waiting = results.some((result) => result.isPending);
  const failed = results.find((result) => result.error instanceof RpcFailure)?.error;
  const problem = failed instanceof RpcFailure ? failed.problem : undefined;

  const shown = useRef<{ charts: readonly Chart[]; data: ChartData }>({
    charts: [],
    data: NO_DATA,
  });
  const before = shown.current;
  const same =
    answered.length === before.charts.length &&
    answered.every((chart, index) => chart === before.charts[index]);
  if (!same) shown.current = { charts: answered, data: joinCharts(answered, before.data) };
  const { data } = shown.current;
  return { data, waiting, problem };
}
