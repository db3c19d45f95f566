import { t } from '../../i18n';
import { Button } from './Button';
import { dismissToast, useToasts } from './toasts';
import styles from './Toasts.module.css';

/** Where the lines about what was just done appear. */
export function Toasts() {
  const toasts = useToasts();
  return (
    <div className={styles.place} role="status" data-testid="toasts">
      {toasts.map((toast) => (
        <div key={toast.id} className={styles.toast} data-tone={toast.tone}>
          <span className={styles.sign} aria-hidden="true">
            {toast.tone === 'done' ? '✓' : toast.tone === 'queued' ? '◐' : '!'}
          </span>
          <span>{toast.text}</span>
          {toast.undo ? (
            <Button
              kind="quiet"
              onPress={() => {
                toast.undo?.();
                dismissToast(toast.id);
              }}
            >
              {t('common.undo')}
            </Button>
          ) : null}
        </div>
      ))}
    </div>
  );
}
