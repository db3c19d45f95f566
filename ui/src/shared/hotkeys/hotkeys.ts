import { useEffect, useRef } from 'react';
import { HOTKEYS, type Hotkey, type HotkeyId } from './table';

type Handler = (event: KeyboardEvent) => boolean | void;
interface Bound {
  id: HotkeyId;
  handler: Handler;
}
/** The one bound last is asked first, so a dialog's Escape goes before the place's. */
const bound: Bound[] = [];

/** `Ctrl+k` for an event, in the table's own form. */
export function keyOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const ctrl = event.ctrlKey || event.metaKey ? 'Ctrl+' : '';
  // With Alt some layouts type another sign than the digit that is printed on the key.
  const digit = event.altKey ? /^Digit(\d)$/.exec(event.code)?.[1] : undefined;
  return `${ctrl}${event.altKey ? 'Alt+' : ''}${digit ?? key}`;
}

/** Whether the person is typing text, so that single signs are text and no commands. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target.closest('[data-typing]')) return true;
  return (
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
  );
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const typing = isTyping(event.target);
  for (const { id, handler } of [...bound].reverse()) {
    const hotkey: Hotkey = HOTKEYS[id];
    if (!hotkey.keys.includes(key)) continue;
    if (typing && hotkey.scope !== 'everywhere' && !key.startsWith('Alt+')) continue;
    if (handler(event) === false) continue;
    event.preventDefault();
    event.stopPropagation();
    return;
  }
}

/** Starts listening; answers what stops it. Also keeps `data-hints` on the page while Alt is held. */
export function listenForHotkeys(): () => void {
  const root = document.documentElement;
  const hints = (on: boolean) => root.toggleAttribute('data-hints', on);
  const down = (event: KeyboardEvent) => {
    if (event.key === 'Alt') hints(true);
    onKeyDown(event);
  };
  const up = (event: KeyboardEvent) => {
    if (event.key === 'Alt') {
      hints(false);
      // Otherwise the window's menu takes the focus away from the list.
      event.preventDefault();
    }
  };
  const off = () => hints(false);
  addEventListener('keydown', down);
  addEventListener('keyup', up);
  addEventListener('blur', off);
  return () => {
    removeEventListener('keydown', down);
    removeEventListener('keyup', up);
    removeEventListener('blur', off);
  };
}

/** Binds an act of the table while mounted. A handler that answers false lets the next one try. */
export function useHotkey(id: HotkeyId, handler: Handler, enabled = true): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    if (!enabled) return;
    const entry: Bound = { id, handler: (event) => latest.current(event) };
    bound.push(entry);
    return () => {
      bound.splice(bound.indexOf(entry), 1);
    };
  }, [id, enabled]);
}

/** The key as people read it: `Ctrl K`, `Esc`. */
export function keyLabel(key: string): string {
  const names: Record<string, string> = {
    Escape: 'Esc',
    Enter: '↵',
    ' ': 'Space',
    ArrowLeft: '←',
    ArrowRight: '→',
  };
  return key
    .split('+')
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(' ');
}
