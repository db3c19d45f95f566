// The one hold keeper of the program: it outlives the form, so that leaving and coming back, or a reload
// in between, never makes a second hold.
import { call, newId, SUBMIT_WAIT_MS } from '../../shared/rpc';
import { RpcFailure } from '../../shared/rpc';
import type { Command } from '../../generated/Command';
import type { CommandOutcome } from '../../generated/CommandOutcome';
import { loadHold, saveHold } from './draft';
import { HoldKeeper } from './hold-keeper';

/** Submits once; a failure of the desk itself is a refusal with its problem. */
export async function submitOnce(
  id: string,
  command: Command,
  waitMs = SUBMIT_WAIT_MS,
): Promise<CommandOutcome> {
  try {
    return await call('command.submit', { id, command, wait_ms: waitMs });
  } catch (cause) {
    if (cause instanceof RpcFailure) return { outcome: 'refused', problem: cause.problem };
    throw cause;
  }
}

export const keeper = new HoldKeeper({
  submit: submitOnce,
  reservation: async (id) => {
    try {
      return await call('reservation.get', { id });
    } catch {
      return undefined;
    }
  },
  newId: () => newId(),
  now: () => Date.now(),
  later: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  load: loadHold,
  save: saveHold,
});
