import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { installStub, suggest, today } from '../dev/stub';
import { SignIn } from '../features/sign-in/SignIn';
import { makeQueryClient } from '../shared/rpc';
import { App } from './App';

beforeEach(() => {
  location.hash = '';
});

const rows = () => screen.findByTestId('today-rows');

/** The first due in whose best room is (or is not) dirty. */
function dueIn(dirty: boolean) {
  const line = today().due_in.find((one) => (suggest(one.id).rooms[0]!.room.status === 'dirty') === dirty);
  return { line: line!, room: suggest(line!.id).rooms[0]!.room };
}

async function atToday(number: string) {
  const user = userEvent.setup();
  const sent = installStub();
  render(<App />);
  const list = await rows();
  await waitFor(() => expect(document.activeElement).toBe(list));
  await user.click(within(list).getByTestId(`today-row-${number}`));
  list.focus();
  return { user, sent, list };
}

it('a normal guest is checked in with two Enters, and the focus is on the next guest', async () => {
  const { line, room } = dueIn(false);
  const { user, sent } = await atToday(line.number);
  const before = today().due_in;
  const next = before[before.findIndex((one) => one.id === line.id) + 1]!;

  await user.keyboard('{Enter}');
  await screen.findByText(`Check in to ${room.number}`);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('rooms')));
  await user.keyboard('{Enter}');

  await waitFor(() => expect(location.hash).toMatch(/^#\/today/));
  const list = await rows();
  await waitFor(() => expect(document.activeElement).toBe(list));
  await waitFor(() =>
    expect(list.querySelector('[aria-selected="true"]')?.getAttribute('data-testid')).toBe(`today-row-${next.number}`),
  );
  expect(sent).toEqual([
    {
      verb: 'check_in',
      reservation_id: line.id,
      body: { room_id: room.id, room_not_ready_accepted: false },
    },
  ]);
});

it('a dirty room is asked about first, and Escape takes the question away', async () => {
  const { line, room } = dueIn(true);
  const { user, sent } = await atToday(line.number);
  await user.keyboard('{Enter}');
  await screen.findByText(`Check in to ${room.number}`);
  await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('rooms')));
  await user.keyboard('{Enter}');
  await screen.findByText(`Room ${room.number} is dirty. Give it all the same?`);
  expect(sent).toEqual([]);
  await user.keyboard('{Escape}');
  expect(screen.queryByText(`Room ${room.number} is dirty. Give it all the same?`)).toBeNull();
  await user.keyboard('{Enter}{Enter}');
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).toMatchObject({ verb: 'check_in', body: { room_not_ready_accepted: true } });
  await rows();
});

it('counts are the lengths of the lists', async () => {
  installStub();
  render(<App />);
  await rows();
  const now = today();
  for (const list of ['due_in', 'in_house', 'due_out', 'unassigned', 'on_hold', 'departed'] as const) {
    expect(screen.getByTestId(`today-count-${list}`).textContent).toBe(String(now[list].length));
  }
});

it('typing in the list filters it, and Escape gives it back', async () => {
  const { line } = dueIn(false);
  const { user, list } = await atToday(line.number);
  await user.keyboard('zzzz');
  await screen.findByText('Nobody here matches “zzzz”');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(list));
  expect(within(list).getAllByRole('option').length).toBeGreaterThan(3);
});

it('F3, digits and Ctrl K go where the table says', async () => {
  installStub();
  const user = userEvent.setup();
  render(<App />);
  await rows();
  await user.keyboard('{F3}');
  await screen.findByTestId('position');
  await user.keyboard('6');
  await screen.findByTestId('tasks');
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByTestId('find-input'), 'departures');
  await user.keyboard('{Enter}');
  await waitFor(() => expect(location.hash).toBe('#/today/due_out'));
});

it('a refused sign-in says why in plain words', async () => {
  const session = { user: null, server: 'http://h:1', last_name: 'ana', device_name: 'd', keyring_problem: 'no bus' };
  installStub({
    'session.sign_in': () => {
      throw { code: 'bad_credentials', problem: { type: '', title: '', status: 401, code: 'bad_credentials' } };
    },
  });
  const user = userEvent.setup();
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <SignIn session={session} onDone={() => {}} />
    </QueryClientProvider>,
  );
  screen.getByTestId('keyring-warning');
  expect(document.activeElement).toBe(screen.getByTestId('sign-in-password'));
  await user.keyboard('{Enter}');
  screen.getByText('Write your password.');
  await user.keyboard('wrong{Enter}');
  await screen.findByText('Name or password is wrong');
});
