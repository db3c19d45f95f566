import { useEffect, useRef, useState } from 'react';

/** How long something new is marked. */
export const FRESH_MS = 6_000;

const NONE: ReadonlySet<string> = new Set();

/** The ids that have come into a list just now, for marking them a moment; none when the list opens. */
export function useFresh<T>(list: string, items: readonly T[] | undefined, idOf: (item: T) => string): ReadonlySet<string> {
  const before = useRef<{ list: string; ids: Set<string> } | null>(null);
  const [fresh, setFresh] = useState(NONE);
  useEffect(() => {
    if (!items) return;
    const ids = new Set(items.map(idOf));
    const known = before.current?.list === list ? before.current.ids : null;
    before.current = { list, ids };
    const added = known ? [...ids].filter((id) => !known.has(id)) : [];
    if (added.length > 0) setFresh(new Set(added));
    else if (!known) setFresh(NONE);
  }, [list, items, idOf]);
  useEffect(() => {
    if (fresh.size === 0) return;
    const timer = setTimeout(() => setFresh(NONE), FRESH_MS);
    return () => clearTimeout(timer);
  }, [fresh]);
  return fresh;
}
