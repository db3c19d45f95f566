import { useSyncExternalStore } from 'react';
import { t } from '../../i18n';
import type { FactLine } from './line';
import styles from './chart.module.css';

/** The line at the bottom: what is under the pointer or the cursor, and the keys. */
export function FactBar({
  line,
  carrying,
  waiting,
}: {
  line: FactLine;
  carrying: boolean;
  waiting: boolean;
}) {
  const text = useSyncExternalStore(line.subscribe, line.get);
  return (
    <div className={styles.facts} data-testid="chart-facts">
      <span className={styles.fact}>{text === '' && waiting ? t('chart.loading') : text}</span>
      <span className={styles.keys} data-carrying={carrying || undefined}>
        {carrying ? t('chart.keys_carrying') : t('chart.keys')}
      </span>
    </div>
  );
}
