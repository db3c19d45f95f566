import type { ReservationState } from '../../generated/ReservationState';
import { t } from '../../i18n';
import styles from './StateMark.module.css';

export type Mark = ReservationState | 'due_out' | 'over_limit' | 'out_of_order' | 'out_of_service';

export interface StateMarkProps {
  state: Mark;
  /** The shape alone, with the word for those who hear the screen. */
  shapeOnly?: boolean;
}

/** A state by hue, shape and word: never by hue alone. */
export function StateMark({ state, shapeOnly = false }: StateMarkProps) {
  const word = t(`state.${state}`);
  return (
    <span className={styles.mark} data-state={state} title={shapeOnly ? word : undefined}>
      <span className={styles.shape} aria-hidden="true" />
      <span className={shapeOnly ? 'visually-hidden' : styles.word}>{word}</span>
    </span>
  );
}
