import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ProgressBar } from 'react-aria-components';
import type { SyncPhase } from '../../generated/SyncPhase';
import { locale, t } from '../../i18n';
import { Button } from '../../shared/controls';
import { call, invalidateTags } from '../../shared/rpc';
import { Mark } from './SignIn';
import styles from './SignIn.module.css';

const count = new Intl.NumberFormat(locale);

/** The first copy on its way. */
export function FirstSync({ hotelName, sync }: { hotelName: string; sync: SyncPhase | undefined }) {
  const queries = useQueryClient();
  const loading = sync?.phase === 'first_sync' ? sync : null;
  // The one place that asks by the clock: the bar moves between the desk's own words too.
  useEffect(() => {
    const timer = setInterval(() => invalidateTags(queries, ['status']), 300);
    return () => clearInterval(timer);
  }, [queries]);
  const total = loading?.total ?? null;
  const done = loading?.done ?? 0;
  const percent = total ? Math.min(100, (done / total) * 100) : 0;
  return (
    <main className={styles.page} data-testid="first-sync">
      <div className={styles.form}>
        <div className={styles.brand}>
          <Mark />
          <h1>{t('app.name')}</h1>
        </div>
        <p>{t('first_sync.title', { hotel: hotelName })}</p>
        <ProgressBar
          aria-label={t('first_sync.title', { hotel: hotelName })}
          value={percent}
          isIndeterminate={total === null}
        >
          <div className={styles.track}>
            <div className={styles.bar} style={{ width: `${percent}%` }} />
          </div>
        </ProgressBar>
        <p className={styles.rows}>
          {total !== null
            ? t('first_sync.rows', { done: count.format(done), total: count.format(total) })
            : done > 0
              ? t('first_sync.rows_only', { done: count.format(done) })
              : t('first_sync.begin')}
        </p>
        <p className={styles.why}>
          {sync?.phase === 'update_needed' ? t('error.update_needed.advice') : t('first_sync.why')}
        </p>
        <div className={styles.acts}>
          <Button
            kind="quiet"
            onPress={() => void call('session.sign_out', {}).then(() => queries.resetQueries())}
          >
            {t('menu.sign_out')}
          </Button>
        </div>
      </div>
    </main>
  );
}
