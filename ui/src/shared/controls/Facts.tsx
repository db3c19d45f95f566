import type { ReactNode } from 'react';
import styles from './Facts.module.css';

/** Names and values in two columns. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode] | null | false)[] }) {
  return (
    <dl className={styles.facts}>
      {rows.map((row) =>
        row ? (
          <div key={row[0]} className={styles.row}>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
