// Places by the address's hash, so that the same files work under any prefix and in the window.
//
// `#/today/due_in?panel=reservation:<id>`: the place, its parts, and what is open in the right panel.
import { useSyncExternalStore } from 'react';

export interface Route {
  /** `today`, `chart`, `new`, `position`, `tasks`, `check-in`, `reservation`. */
  place: string;
  parts: readonly string[];
  query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [place = '', ...parts] = path.split('/').filter(Boolean).map(decodeURIComponent);
  return { place: place || 'today', parts, query: new URLSearchParams(search) };
}

export function routeHash(place: string, parts: readonly string[], query?: URLSearchParams): string {
  const path = [place, ...parts].map(encodeURIComponent).join('/');
  // The ids and colons of a panel are readable as they are.
  const search = (query?.toString() ?? '').replaceAll('%3A', ':');
  return `#/${path}${search ? `?${search}` : ''}`;
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}

/** The present place. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return parseRoute(hash);
}

export interface NavigateOptions {
  query?: Record<string, string>;
  /** Take the present place's entry in the history instead of adding one. */
  replace?: boolean;
}

/** Go to a place: `navigate('new', [], { query: { from: '2026-11-30' } })`. */
export function navigate(place: string, parts: readonly string[] = [], options: NavigateOptions = {}): void {
  go(routeHash(place, parts, new URLSearchParams(options.query)), options.replace ?? false);
}

function go(hash: string, replace: boolean): void {
  if (hash === location.hash) return;
  if (replace) {
    history.replaceState(null, '', hash);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = hash;
  }
}

export type PanelKind = 'reservation' | 'check-out';

/** Open something in the right panel of the present place, at once in one of its forms if asked. */
export function openPanel(kind: PanelKind, id: string, form?: string): void {
  const route = parseRoute(location.hash);
  const replace = route.query.has('panel');
  route.query.set('panel', form ? `${kind}:${id}:${form}` : `${kind}:${id}`);
  go(routeHash(route.place, route.parts, route.query), replace);
}

export function closePanel(): void {
  const route = parseRoute(location.hash);
  if (!route.query.has('panel')) return;
  route.query.delete('panel');
  go(routeHash(route.place, route.parts, route.query), true);
}

/** What the right panel shows. */
export function panelOf(route: Route): { kind: PanelKind; id: string; form: string | null } | null {
  const [kind, id, form = null] = (route.query.get('panel') ?? '').split(':');
  if (!id || (kind !== 'reservation' && kind !== 'check-out')) return null;
  return { kind, id, form };
}
