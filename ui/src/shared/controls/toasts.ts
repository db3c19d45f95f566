import { useSyncExternalStore } from 'react';

export interface Toast {
  id: number;
  text: string;
  /** A chance to take it back; absent where that needs another act. */
  undo?: () => void;
  tone: 'done' | 'queued' | 'refused';
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** How long it stays in sight: long enough to read, and to take it back. */
export const TOAST_MS = 7_000;

/** A line at the bottom that says what was just done. It never takes the focus. */
export function toast(text: string, options: { undo?: () => void; tone?: Toast['tone'] } = {}): void {
  const id = nextId;
  nextId += 1;
  const { undo, tone = 'done' } = options;
  set([...toasts.slice(-2), { id, text, tone, ...(undo ? { undo } : {}) }]);
  setTimeout(() => dismissToast(id), TOAST_MS);
}

export function dismissToast(id: number): void {
  set(toasts.filter((one) => one.id !== id));
}

/** When somebody signs out, what was said about guests goes too. */
export function clearToasts(): void {
  set([]);
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
