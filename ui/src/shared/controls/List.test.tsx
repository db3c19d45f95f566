import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { List, useCursor } from '.';

interface Item {
  id: string;
}
const items = (count: number): Item[] => Array.from({ length: count }, (_, place) => ({ id: `g${place}` }));
const idOf = (item: Item) => item.id;
let opened: string[] = [];

function Lists({ name, start }: { name: string; start: Item[] }) {
  const [list, setList] = useState(start);
  const cursor = useCursor(name, list, idOf);
  return (
    <>
      <List
        items={list}
        idOf={idOf}
        label="guests"
        cursor={cursor.id}
        onCursor={cursor.set}
        onOpen={(item) => {
          opened.push(item.id);
          setList((now) => now.filter((one) => one !== item));
        }}
        row={(item) => item.id}
        empty="nobody"
      />
      <output>{cursor.id}</output>
    </>
  );
}

const cursor = () => screen.getByRole('status').textContent;

it('arrows move the cursor, Home and End go to the ends, and it stays inside', () => {
  render(<Lists name="arrows" start={items(40)} />);
  const list = screen.getByRole('listbox');
  list.focus();
  const press = (key: string) => fireEvent.keyDown(list, { key });
  expect(cursor()).toBe('g0');
  press('ArrowUp');
  expect(cursor()).toBe('g0');
  press('ArrowDown');
  press('PageDown');
  expect(cursor()).toBe('g11');
  press('End');
  press('ArrowDown');
  expect(cursor()).toBe('g39');
  press('Home');
  expect(cursor()).toBe('g0');
});

it('when its guest goes away the cursor is on the next, and the focus is still in the list', () => {
  opened = [];
  render(<Lists name="next" start={items(3)} />);
  const list = screen.getByRole('listbox');
  list.focus();
  fireEvent.keyDown(list, { key: 'ArrowDown' });
  fireEvent.keyDown(list, { key: 'Enter' });
  expect(opened).toEqual(['g1']);
  expect(cursor()).toBe('g2');
  expect(document.activeElement).toBe(list);
  fireEvent.keyDown(list, { key: 'Enter' });
  expect(cursor()).toBe('g0');
  fireEvent.keyDown(list, { key: 'Enter' });
  expect(list.textContent).toContain('nobody');
  expect(document.activeElement).toBe(list);
});
