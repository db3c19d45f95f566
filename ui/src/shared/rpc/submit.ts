import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Command } from '../../generated/Command';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import type { Problem } from '../../generated/Problem';
import type { Status } from '../../generated/Status';
import { call, RpcFailure } from './client';
import { invalidateTags } from './hooks';

/** A version 7 UUID: time first, so that commands sort by when they were made. */
export function newId(now = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let time = now;
  for (let place = 5; place >= 0; place -= 1) {
    bytes[place] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** How long a screen waits for the server's word before it calls a command queued. */
export const SUBMIT_WAIT_MS = 2_500;

/** While the strip says offline there is no word to wait for. */
function waitNow(queries: QueryClient): number {
  const status = queries.getQueryData<Status>(['status.get', {}]);
  return status?.sync.phase === 'offline' ? 0 : SUBMIT_WAIT_MS;
}

export interface Submit {
  /** Records, shows and sends the command. The same command asked twice is one command (B16). */
  submit(command: Command, waitMs?: number): Promise<CommandOutcome>;
  busy: boolean;
  /** Why the last one was refused. */
  problem: Problem | null;
  /** Forget the refusal, and let the same words be a new command. */
  reset(): void;
}

interface Intent {
  key: string;
  id: string;
  promise: Promise<CommandOutcome>;
}

/** The only way in which a screen changes anything. */
export function useSubmit(): Submit {
  const intent = useRef<Intent | null>(null);
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const submit = useCallback((command: Command, waitMs = waitNow(queries)) => {
    const key = JSON.stringify(command);
    const same = intent.current?.key === key ? intent.current : null;
    if (same) return same.promise;
    const id = newId();
    setBusy(true);
    setProblem(null);
    const promise = call('command.submit', { id, command, wait_ms: waitMs })
      .catch((cause: unknown): CommandOutcome => {
        if (cause instanceof RpcFailure) return { outcome: 'refused', problem: cause.problem };
        throw cause;
      })
      .then((outcome) => {
        if (outcome.outcome === 'refused') {
          // An answered refusal ends the intent: trying again is a new one.
          intent.current = null;
          setProblem(outcome.problem);
        }
        setBusy(false);
        // The clerk's own act is on the screen without waiting for the round trip of the changes.
        invalidateTags(queries, ['stays', 'positions', 'guests', 'status', 'commands']);
        return outcome;
      });
    intent.current = { key, id, promise };
    return promise;
  }, [queries]);

  const reset = useCallback(() => {
    intent.current = null;
    setProblem(null);
  }, []);

  return { submit, busy, problem, reset };
}
