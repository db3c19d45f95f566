import type { Command } from '../generated/Command';
import { t } from '../i18n';
import { toast } from './controls';
import { useSubmit, type Submit } from './rpc';

export interface Act extends Submit {
  /** Does it and says so; false when it was refused (`problem` says why). */
  run(command: Command, said: string, options?: { undo?: () => void }): Promise<boolean>;
}

/** A command with its line at the bottom of the screen. */
export function useAct(): Act {
  const submit = useSubmit();
  return {
    ...submit,
    async run(command, said, options = {}) {
      const outcome = await submit.submit(command);
      if (outcome.outcome === 'refused') return false;
      if (outcome.outcome === 'queued') toast(t('act.queued', { what: said }), { tone: 'queued', ...options });
      else toast(said, options);
      return true;
    },
  };
}
