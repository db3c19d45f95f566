import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { CommandSubmit } from '../../generated/CommandSubmit';
import { setPlatform } from '../../platform';
import { makeQueryClient, newId, useSubmit } from '.';

let sent: CommandSubmit[] = [];
let answer: unknown;
beforeEach(() => {
  sent = [];
  answer = { outcome: 'done', seq: 1, answer: null };
  setPlatform({
    rpc: async (method, body) => {
      if (method === 'command.submit') sent.push(body as CommandSubmit);
      return answer;
    },
  });
});

const client = makeQueryClient();
const render = () =>
  renderHook(() => useSubmit(), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
const checkIn = {
  verb: 'check_in',
  reservation_id: 'r',
  body: { room_id: null, room_not_ready_accepted: false },
} as const;

it('b16 a second click is the same command', async () => {
  const { result } = render();
  await act(async () => {
    await Promise.all([result.current.submit(checkIn), result.current.submit(checkIn)]);
    await result.current.submit(checkIn);
  });
  expect(sent).toHaveLength(1);
});

it('another wish is another command, and so is a try after a refusal', async () => {
  const { result } = render();
  answer = { outcome: 'refused', problem: { code: 'room_not_ready', status: 409, title: '', type: '' } };
  await act(async () => {
    await result.current.submit(checkIn);
  });
  expect(result.current.problem?.code).toBe('room_not_ready');
  await act(async () => {
    await result.current.submit(checkIn);
    await result.current.submit({ ...checkIn, body: { ...checkIn.body, room_not_ready_accepted: true } });
  });
  expect(new Set(sent.map((one) => one.id)).size).toBe(3);
});

it('ids are version 7 and sort by time', () => {
  const [early, late] = [newId(1_000), newId(2_000)];
  expect(early).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(early < late).toBe(true);
});

it('offline, nobody waits for the server’s word', async () => {
  const { result } = render();
  client.setQueryData(['status.get', {}], { sync: { phase: 'offline', since: '2026-11-30T13:02:00Z' } });
  answer = { outcome: 'queued' };
  await act(async () => {
    await result.current.submit(checkIn);
  });
  expect(sent[0]?.wait_ms).toBe(0);
});
