import { useEffect, useRef, useState } from 'react';

/** How long the pointer must be still before rows may move under it. */
export const STILL_MS = 1_200;

export interface Settled<T> {
  items: readonly T[];
  /** In the list as shown, but gone from the newest answer. */
  gone: ReadonlySet<string>;
}

/**
 * The newest items in the order that is on the screen: what is known keeps its row (with its newest
 * state), what is gone keeps its place, what is new waits.
 */
export function holdOrder<T>(shown: readonly T[], newest: readonly T[], idOf: (item: T) => string): Settled<T> {
  const now = new Map(newest.map((item) => [idOf(item), item]));
  const gone = new Set<string>();
  const items = shown.map((item) => {
    const id = idOf(item);
    const next = now.get(id);
    if (next === undefined) gone.add(id);
    return next ?? item;
  });
  return { items, gone };
}

/** Whether two lists have the same things in the same order. */
export function sameOrder<T>(one: readonly T[], other: readonly T[], idOf: (item: T) => string): boolean {
  return one.length === other.length && one.every((item, place) => idOf(item) === idOf(other[place]!));
}

/**
 * Keeps rows where they are while the pointer is busy in the list: nothing moves under it because of a
 * sync. `list` says of what the items are; another list is shown at once.
 */
export function useSettled<T>(list: string, newest: readonly T[], idOf: (item: T) => string) {
  const [busy, setBusy] = useState(false);
  const timer = useRef(0);
  const [shown, setShown] = useState({ list, items: newest });
  const held = busy && shown.list === list && !sameOrder(shown.items, newest, idOf);
  if (!held && (shown.list !== list || shown.items !== newest)) setShown({ list, items: newest });
  useEffect(() => () => clearTimeout(timer.current), []);
  const touch = () => {
    setBusy(true);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setBusy(false), STILL_MS);
  };
  const settled: Settled<T> = held
    ? holdOrder(shown.items, newest, idOf)
    : { items: newest, gone: new Set<string>() };
  return {
    ...settled,
    pointer: {
      onPointerMove: touch,
      onPointerDown: touch,
      onPointerLeave: () => setBusy(false),
    },
  };
}
