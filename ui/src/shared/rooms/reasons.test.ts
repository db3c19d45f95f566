import { expect, it } from 'vitest';
import { reasonText } from './reasons';

it('reasons read as words, and a day as a day', () => {
  expect(reasonText({ word: 'needs_move', good: false, value: '2026-12-02' })).toBe('must move on Wed 2 Dec');
  expect(reasonText({ word: 'leaves_gap', good: false, value: '1' })).toBe('leaves a lone night');
  expect(reasonText({ word: 'upgrade', good: false, value: 'DLX' })).toBe('upgrade to DLX, charged as booked');
});

it('a word of a newer desk is shown as it came', () => {
  expect(reasonText({ word: 'near_lift', good: true, value: null })).toBe('near lift');
});
