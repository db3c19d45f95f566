import { useEffect, useState, useSyncExternalStore } from 'react';
import { COUNTDOWN_SECONDS, countdown, type HoldRecord, type HoldState } from './hold-keeper';
import { keeper } from './keeper';

let leaving: ReturnType<typeof setTimeout> | undefined;

/**
 * The form's hold. It is given back when the form is left, unless it is just being made a reservation.
 * A moment later, so that a form that is mounted again at once (as in development) keeps it.
 */
export function useHold(busy: () => boolean): HoldState {
  useEffect(() => {
    clearTimeout(leaving);
    return () => {
      leaving = setTimeout(() => {
        if (!busy()) void keeper.release();
      }, 0);
    };
    // Only when the form comes and goes.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return useSyncExternalStore(keeper.subscribe, keeper.get);
}

/** Seconds left, in the last two minutes only. */
export function useCountdown(record: HoldRecord | undefined): number | undefined {
  const expiresAt = record?.expiresAt;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (expiresAt === undefined) return;
    const begin = expiresAt - COUNTDOWN_SECONDS * 1000;
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      setNow(Date.now());
      timer = setTimeout(turn, Math.max(1000, begin - Date.now()));
    };
    timer = setTimeout(turn, Math.max(0, begin - Date.now()));
    return () => clearTimeout(timer);
  }, [expiresAt]);
  return countdown(expiresAt, now);
}
