import type { ReactNode } from 'react';
import styles from './Empty.module.css';

/** An empty list: what would be here, and how it gets here. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children ? <p>{children}</p> : null}
    </div>
  );
}
