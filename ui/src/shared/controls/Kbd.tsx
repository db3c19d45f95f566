import { HOTKEYS, keyLabel, type HotkeyId } from '../hotkeys';
import styles from './Kbd.module.css';

export interface KbdProps {
  hotkey?: HotkeyId;
  /** A key that is in no table, such as an arrow. */
  keys?: string;
  /** Show it even while Alt is not held. */
  always?: boolean;
}

/** The key of an act, in sight while Alt is held. */
export function Kbd({ hotkey, keys, always = false }: KbdProps) {
  const text = keys ?? (hotkey ? keyLabel(HOTKEYS[hotkey].keys[0]) : '');
  return (
    <kbd className={styles.kbd} data-always={always || undefined} aria-hidden="true">
      {text}
    </kbd>
  );
}
