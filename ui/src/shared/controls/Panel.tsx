import { useEffect, useRef, type ReactNode } from 'react';
import { t } from '../../i18n';
import { Button } from './Button';
import styles from './Panel.module.css';

export interface PanelProps {
  title: ReactNode;
  /** A line below the title. */
  subtitle?: ReactNode;
  label: string;
  onClose?: (() => void) | undefined;
  children?: ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** Stays at the bottom: the acts. */
  footer?: ReactNode;
  /** Take the focus when opened: where somebody opened it on purpose. */
  focused?: boolean;
  'data-testid'?: string;
}

/** The right-hand panel, 420 px, that pushes. */
export function Panel({
  title,
  subtitle,
  label,
  onClose,
  children,
  actions,
  footer,
  focused = false,
  ...rest
}: PanelProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focused && !frame.current?.contains(document.activeElement)) frame.current?.focus();
  }, [focused]);
  return (
    <aside
      ref={frame}
      tabIndex={-1} className={styles.panel} aria-label={label} data-testid={rest['data-testid']}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h2 className={styles.title}>{title}</h2>
          {subtitle ? <div className={styles.subtitle}>{subtitle}</div> : null}
        </div>
        {actions}
        {onClose ? (
          <Button kind="quiet" aria-label={t('common.close')} onPress={onClose} hotkey="back">
            ✕
          </Button>
        ) : null}
      </header>
      <div className={styles.body}>{children}</div>
      {footer ? <footer className={styles.foot}>{footer}</footer> : null}
    </aside>
  );
}
