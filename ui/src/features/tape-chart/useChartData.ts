import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { Chart } from '../../generated/Chart';
import type { Problem } from '../../generated/Problem';
import { fromNumber } from '../../shared/days';
import { call, RpcFailure } from '../../shared/rpc';
import { type ChartData, joinCharts, NO_DATA } from './chart-data';
import { type Range, WINDOW_NIGHTS, windowsFor } from './geometry';

interface Answers {
  charts: Chart[];
  waiting: boolean;
  problem: Problem | undefined;
}

function combine(results: UseQueryResult<Chart>[]): Answers {
  const failed = results.find((result) => result.error instanceof RpcFailure)?.error;
  return {
    charts: results.flatMap((result) => (result.data ? [result.data] : [])),
    waiting: results.some((result) => result.isPending),
    problem: failed instanceof RpcFailure ? failed.problem : undefined,
  };
}

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
  const { charts, waiting, problem } = useQueries({
    queries: windows.map((day) => {
      const request = { from: fromNumber(day), nights: Math.min(WINDOW_NIGHTS, last - day) };
      return { queryKey: ['chart.get', request], queryFn: () => call('chart.get', request) };
    }),
    combine,
  });
  const before = useRef<ChartData>(NO_DATA);
  const data = useMemo(() => {
    before.current = joinCharts(charts, before.current);
    return before.current;
  }, [charts]);
  return { data, waiting, problem };
}
