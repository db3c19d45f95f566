import { expect, it } from 'vitest';
import { hasText } from '../../i18n';
import { keyLabel, keyOf } from './hotkeys';
import { HOTKEYS, type Hotkey } from './table';

const entries = Object.entries(HOTKEYS as Record<string, Hotkey>);

it('no key means two things where both could be meant', () => {
  const seen = new Map<string, string>();
  for (const [id, hotkey] of entries) {
    for (const key of hotkey.keys) {
      // `everywhere` and `global` are alive together; other scopes only where they are mounted.
      const scope = hotkey.scope === 'everywhere' ? 'global' : hotkey.scope;
      const place = `${scope} ${key}`;
      expect(seen.get(place), `${key}: ${seen.get(place)} and ${id}`).toBeUndefined();
      seen.set(place, id);
    }
  }
});

it('every act has a name for hints and the palette', () => {
  for (const [id, hotkey] of entries) {
    expect(hasText(hotkey.label), id).toBe(true);
    expect(hotkey.keys.length, id).toBeGreaterThan(0);
  }
});

it('reads keys in the table’s own form', () => {
  expect(keyOf(new KeyboardEvent('keydown', { key: 'K', ctrlKey: true }))).toBe('Ctrl+k');
  expect(keyOf(new KeyboardEvent('keydown', { key: '¡', code: 'Digit1', altKey: true }))).toBe('Alt+1');
  expect(keyOf(new KeyboardEvent('keydown', { key: 'F5' }))).toBe('F5');
  expect(keyLabel('Ctrl+k')).toBe('Ctrl K');
  expect(keyLabel('Ctrl+ArrowLeft')).toBe('Ctrl ←');
});
