import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Tag } from '../../generated/Tag';
import { call, RpcFailure } from './client';
import { METHOD_TAGS, type Method, type RpcMethods } from './methods';

/** Answers stay good until a change with one of their tags arrives; nothing is asked on a timer. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (count, error) =>
          count < 2 && error instanceof RpcFailure && error.problem.status >= 500,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

export interface RpcOptions {
  /** False asks nothing yet. */
  enabled?: boolean;
  /** Show the former answer while another request is under way (another window of dates). */
  keepPrevious?: boolean;
}

/** Reads from the desk, and reads again when something it depends on has changed. */
export function useRpc<M extends Method>(
  method: M,
  request: RpcMethods[M]['request'],
  options: RpcOptions = {},
): UseQueryResult<RpcMethods[M]['answer'], RpcFailure> {
  return useQuery<RpcMethods[M]['answer'], RpcFailure>({
    queryKey: [method, request],
    queryFn: () => call(method, request),
    enabled: options.enabled ?? true,
    // The generic answer type meets a conditional type of the library that cannot be resolved here.
    ...(options.keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });
}

/** Makes every answer old that depends on one of the tags. */
export function invalidateTags(client: QueryClient, tags: readonly Tag[]): void {
  void client.invalidateQueries({
    predicate: (query) => {
      const provided = METHOD_TAGS[query.queryKey[0] as Method] ?? [];
      return provided.some((tag) => tags.includes(tag));
    },
  });
}

type ByListener = (names: readonly string[]) => void;
const byListeners = new Set<ByListener>();

/** Tells who changed something elsewhere, for showing a colleague's name for a moment. */
export function useColleagues(listener: ByListener): void {
  useEffect(() => {
    byListeners.add(listener);
    return () => {
      byListeners.delete(listener);
    };
  }, [listener]);
}

/** Follows the desk's changes for as long as the screen is up. */
export function useChanges(client: QueryClient): void {
  useEffect(() => {
    let live = true;
    void (async () => {
      let after = 0;
      let pause = 0;
      while (live) {
        try {
          const changes = await call('changes.wait', { after, wait_ms: 25_000 });
          if (!live) return;
          after = changes.now;
          pause = 0;
          if (changes.tags.length > 0) invalidateTags(client, changes.tags);
          if (changes.by.length > 0) for (const listener of byListeners) listener(changes.by);
        } catch {
          // The desk program is gone or restarting: ask again, slower each time.
          pause = Math.min(pause * 2 + 250, 5_000);
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }
    })();
    return () => {
      live = false;
    };
  }, [client]);
}
