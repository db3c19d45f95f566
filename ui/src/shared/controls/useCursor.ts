import { useState } from 'react';

interface Kept {
  id: string;
  index: number;
}

/** Cursors by the name of their list, so that one comes back to where one was. */
const remembered = new Map<string, Kept>();

/**
 * The cursor of a list, kept by identity and across visits. When its row goes away (the guest was
 * checked in, at this desk or another), it goes to what stands in its place: the next row.
 */
export function useCursor<T>(name: string, items: readonly T[], idOf: (item: T) => string) {
  const [, redraw] = useState(0);
  const kept = remembered.get(name);
  const found = kept ? items.findIndex((item) => idOf(item) === kept.id) : -1;
  const index = found >= 0 ? found : Math.max(0, Math.min(kept?.index ?? 0, items.length - 1));
  const item = items[index];
  const id = item === undefined ? null : idOf(item);
  if (id !== null && (kept?.id !== id || kept.index !== index)) remembered.set(name, { id, index });
  return {
    id,
    item,
    set: (next: string) => {
      remembered.set(name, { id: next, index: Math.max(0, items.findIndex((one) => idOf(one) === next)) });
      redraw((count) => count + 1);
    },
  };
}
