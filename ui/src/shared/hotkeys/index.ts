export { isTyping, keyLabel, keyOf, listenForHotkeys, useHotkey } from './hotkeys';
export { HOTKEYS, type Hotkey, type HotkeyId } from './table';
