import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { holdOrder, STILL_MS, useSettled } from './settled';

interface Row {
  id: string;
  text: string;
}
const idOf = (row: Row) => row.id;
const rows = (text: string, ids: string): Row[] => [...ids].map((id) => ({ id, text }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('keeps each row in its place, with its newest state', () => {
  const held = holdOrder(rows('old', 'abc'), rows('new', 'xca'), idOf);
  expect(held.items.map((row) => row.id + row.text)).toEqual(['anew', 'bold', 'cnew']);
  expect([...held.gone]).toEqual(['b']);
});

it('nothing moves under a busy pointer, and everything has moved when it is still', () => {
  const { result, rerender } = renderHook(({ list, items }) => useSettled(list, items, idOf), {
    initialProps: { list: 'due_in', items: rows('1', 'abc') },
  });
  const shown = () => result.current.items.map(idOf).join('');
  act(() => result.current.pointer.onPointerMove());
  rerender({ list: 'due_in', items: rows('2', 'xac') });
  expect(shown()).toBe('abc');
  expect(result.current.gone.has('b')).toBe(true);
  act(() => void vi.advanceTimersByTime(STILL_MS));
  expect(shown()).toBe('xac');
});

it('another list is shown at once', () => {
  const { result, rerender } = renderHook(({ list, items }) => useSettled(list, items, idOf), {
    initialProps: { list: 'due_in', items: rows('1', 'abc') },
  });
  act(() => result.current.pointer.onPointerMove());
  rerender({ list: 'in_house', items: rows('1', 'de') });
  expect(result.current.items.map(idOf)).toEqual(['d', 'e']);
});
