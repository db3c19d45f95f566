import { useEffect, type RefObject } from 'react';
import type { Suggestion } from '../../generated/Suggestion';
import { t } from '../../i18n';
import { Empty, List, type ListHandle } from '../controls';
import { isUpgrade, reasonText } from './reasons';
import styles from './SuggestionList.module.css';

export interface SuggestionListProps {
  rooms: readonly Suggestion[];
  chosen: string | null;
  onChoose: (roomId: string) => void;
  /** Enter. */
  onTake: (suggestion: Suggestion) => void;
  handle: RefObject<ListHandle | null>;
  autoFocus?: boolean;
}

/** Rooms for a stay, best first, each with what speaks for and against it. */
export function SuggestionList({ rooms, chosen, onChoose, onTake, handle, autoFocus }: SuggestionListProps) {
  const ready = rooms.length > 0;
  useEffect(() => {
    if (autoFocus) handle.current?.focus();
  }, [autoFocus, ready, handle]);
  return (
    <List
      className={styles.list}
      items={rooms}
      idOf={(suggestion) => suggestion.room.id}
      label={t('rooms.suggested')}
      rowHeight={48}
      height={rooms.length * 48 + 2}
      cursor={chosen}
      onCursor={onChoose}
      onOpen={onTake}
      handle={handle}
      data-testid="rooms"
      testIdOf={(suggestion) => `room-${suggestion.room.number}`}
      empty={<Empty title={t('rooms.empty')}>{t('rooms.empty_how')}</Empty>}
      row={(suggestion, { cursor }) => (
        <div className={styles.room}>
          <span className={styles.dot} aria-hidden="true">
            {cursor ? '●' : '○'}
          </span>
          <span className={styles.number}>{suggestion.room.number}</span>
          <span className={styles.type} data-upgrade={isUpgrade(suggestion) || undefined}>
            {suggestion.type_code}
          </span>
          <span className={styles.features}>
            {suggestion.room.features.map((feature) => featureText(feature)).join(' · ')}
          </span>
          <span className={styles.reasons}>
            {suggestion.reasons.map((reason) => (
              <span key={reason.word} className={styles.reason} data-good={reason.good}>
                {reason.good ? null : <span aria-hidden="true">– </span>}
                {reasonText(reason)}
              </span>
            ))}
          </span>
        </div>
      )}
    />
  );
}

function featureText(feature: string): string {
  const [word = '', of] = feature.split(':', 2);
  return `${word.replaceAll('_', ' ')}${of ? ` ${of}` : ''}`;
}
