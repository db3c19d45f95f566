// What the place wants at its right: the guest at the list's cursor. A panel opened on purpose goes
// before it.
import { useEffect, useSyncExternalStore } from 'react';

export type Side = { kind: 'reservation'; id: string } | { kind: 'none'; text: string } | null;

let side: Side = null;
const listeners = new Set<() => void>();

function set(next: Side): void {
  side = next;
  for (const listener of listeners) listener();
}

/** For places: show this at the right while mounted. */
export function useSide(kind: 'reservation' | 'none', value: string | null): void {
  useEffect(() => {
    if (value === null) set(null);
    else set(kind === 'reservation' ? { kind, id: value } : { kind, text: value });
    return () => set(null);
  }, [kind, value]);
}

/** For the shell. */
export function useSideNow(): Side {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => side,
  );
}
