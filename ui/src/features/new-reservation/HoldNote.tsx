import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import type { HoldState, HoldWish } from './hold-keeper';
import { heldText, whatText } from './wish';
import styles from './new.module.css';

interface HoldNoteProps {
  hold: HoldState;
  /** What the form asks for, once dates and type are known. */
  wish: HoldWish | undefined;
  datesKnown: boolean;
  offline: boolean;
  /** Left, in the last two minutes only. */
  seconds: number | undefined;
  /** Found again after a reload. */
  resumed: boolean;
  timeZone: string;
  types: readonly { id: string; code: string }[];
  onRelease: () => void;
  onAgain: (wish: HoldWish) => void;
}

/** How the hold stands, in a few words, and what can be done about it. */
export function HoldNote(props: HoldNoteProps) {
  const { hold, wish, seconds } = props;
  return (
    <>
      <span
        className={styles.hold}
        data-phase={hold.phase}
        data-soon={seconds !== undefined || undefined}
        data-testid="hold-note"
      >
        {text(props)}
      </span>
      {hold.phase === 'held' ? (
        <Button onPress={props.onRelease} data-testid="release-hold">
          {t('new.hold.release')}
        </Button>
      ) : null}
      {hold.phase === 'expired' && wish ? (
        <Button onPress={() => props.onAgain(wish)} data-testid="hold-again">
          {t('new.hold.again')}
        </Button>
      ) : null}
    </>
  );
}

function text({ hold, wish, datesKnown, offline, ...rest }: HoldNoteProps): string {
  switch (hold.phase) {
    case 'taking':
    case 'releasing':
    case 'expired':
      return t(`new.hold.${hold.phase}`);
    case 'held':
      return heldText(hold.record, rest.seconds, rest.resumed, rest.timeZone, rest.types);
    case 'none':
      if (wish && !offline) return t('new.hold.enter', { what: whatText(wish, rest.types) });
      break;
    case 'refused':
      break;
  }
  if (offline && wish) return t('new.hold.wait_server');
  return t(datesKnown ? 'new.hold.choose' : 'new.hold.wait_line');
}
