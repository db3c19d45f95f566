import { useCallback } from 'react';
import type { Command } from '../../generated/Command';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { toast } from '../../shared/controls';
import { errorText } from '../../shared/errors/table';
import { call, newId, RpcFailure, SUBMIT_WAIT_MS } from '../../shared/rpc';
import { nameOf } from './words';

/** Gives a room to a stay, or takes it away, and says what became of it. */
export function useMoves(say: (text: string) => void): {
  letGo(stay: StayLine, room: RoomRow | undefined): void;
} {
  const letGo = useCallback(
    (stay: StayLine, room: RoomRow | undefined) => {
      const name = nameOf(stay);
      const done =
        room === undefined
          ? t('chart.unassigned_done', { name })
          : stay.room_number === null
            ? t('chart.assigned', { name, room: room.number })
            : t('chart.moved', { name, from: stay.room_number, room: room.number });
      const undo = () => void assign(stay.id, stay.room_id).catch(() => undefined);
      void assign(stay.id, room?.id ?? null).then(
        (outcome) => {
          if (outcome.outcome === 'done') {
            toast(done, { undo });
            say(done);
          } else if (outcome.outcome === 'queued') {
            const text = t('chart.queued', { text: done });
            toast(text, { tone: 'queued', undo });
            say(text);
          } else {
            const why = errorText(outcome.problem);
            const text = t('chart.refused_done', { name, why: `${why.title}. ${why.advice}` });
            toast(text, { tone: 'refused' });
            say(text);
          }
        },
        (cause: unknown) => {
          const why = cause instanceof RpcFailure ? errorText(cause.problem).title : String(cause);
          const text = t('chart.refused_done', { name, why });
          toast(text, { tone: 'refused' });
          say(text);
        },
      );
    },
    [say],
  );
  return { letGo };
}

function assign(reservationId: string, roomId: string | null) {
  const command: Command = {
    verb: 'assign',
    reservation_id: reservationId,
    body: { room_id: roomId },
  };
  return call('command.submit', { id: newId(), command, wait_ms: SUBMIT_WAIT_MS });
}
