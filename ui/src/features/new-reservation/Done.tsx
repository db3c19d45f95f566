import { useState } from 'react';
import { t } from '../../i18n';
import { Button } from '../../shared/controls';
import { openPanel } from '../../shared/route';
import styles from './new.module.css';

export interface DoneFacts {
  number: string;
  about: string;
  reservationId: string | undefined;
  detailsFailed: boolean;
}

/** The confirmation number, big, above the form for the next one. */
export function Done({ done }: { done: DoneFacts }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(done.number).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  const { reservationId } = done;
  return (
    <div className={styles.done} role="status">
      <span className={styles.doneWord}>✓ {t('new.done')}</span>
      <output className={styles.number} data-testid="confirmation-number">
        {done.number}
      </output>
      <span className={styles.doneAbout}>
        {done.about}
        {done.detailsFailed ? <em>{t('new.done_details')}</em> : null}
      </span>
      <Button onPress={copy}>{t(copied ? 'new.done_copied' : 'new.done_copy')}</Button>
      {reservationId === undefined ? null : (
        <Button onPress={() => openPanel('reservation', reservationId)}>
          {t('new.done_open')}
        </Button>
      )}
    </div>
  );
}
