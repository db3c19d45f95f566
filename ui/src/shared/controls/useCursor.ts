import { useState } from 'react';

/**
 * The cursor of a list, kept by identity. When its row goes away (the guest was checked in, at this
 * desk or another), it goes to what stands in its place: the next row.
 */
export function useCursor<T>(items: readonly T[], idOf: (item: T) => string) {
  const [kept, setKept] = useState<{ id: string; index: number } | null>(null);
  const found = kept ? items.findIndex((item) => idOf(item) === kept.id) : -1;
  const index = found >= 0 ? found : Math.min(kept?.index ?? 0, items.length - 1);
  const item = items[index];
  const id = item === undefined ? null : idOf(item);
  if (id !== null && (kept?.id !== id || kept.index !== index)) setKept({ id, index });
  return {
    id,
    item,
    set: (next: string) => {
      const at = items.findIndex((one) => idOf(one) === next);
      setKept({ id: next, index: Math.max(0, at) });
    },
  };
}
