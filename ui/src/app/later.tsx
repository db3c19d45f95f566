import { lazy, useState, type ComponentType } from 'react';

/** A screen that comes in a file of its own. */
export interface Later {
  Screen: ComponentType;
  /** Loads it while nobody waits for it. */
  ahead: () => Promise<void>;
}

/**
 * Once it is there it is drawn at once. A lazy component waits when it is drawn for the first time even if
 * its file is loaded, and what follows is held back for 300 ms: the focus is nowhere, and digits typed
 * into the form that is about to open would be the keys of other places.
 */
export function later(load: () => Promise<ComponentType>): Later {
  let there: ComponentType | undefined;
  const get = async () => (there = await load());
  const Lazy = lazy(async () => ({ default: await get() }));
  function Screen() {
    // Kept as it was mounted: another component would begin anew.
    const [Now] = useState<ComponentType>(() => there ?? Lazy);
    return <Now />;
  }
  return { Screen, ahead: () => get().then(() => undefined) };
}
