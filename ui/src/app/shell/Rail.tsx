import { t } from '../../i18n';
import { Kbd } from '../../shared/controls';
import { HOTKEYS } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { routeHash } from '../../shared/route';
import { RAIL } from '../places';
import styles from './Rail.module.css';

/** The places, with words and keys. */
export function Rail({ place, onFind }: { place: string; onFind: () => void }) {
  const { status } = useHouse();
  return (
    <nav className={styles.rail} aria-label={t('rail.label')}>
      {RAIL.map((entry) => {
        const inner = (
          <>
            <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true">
              <path d={entry.icon} />
            </svg>
            <span className={styles.word}>{t(entry.label)}</span>
            {entry.place === 'tasks' && status.tasks > 0 ? (
              <span className={styles.count}>{status.tasks}</span>
            ) : null}
            <Kbd keys={HOTKEYS[entry.hotkey].keys[0]} />
          </>
        );
        return entry.place === 'find' ? (
          <button
            key={entry.place}
            type="button"
            className={styles.entry}
            onClick={onFind}
            data-testid="rail-find"
          >
            {inner}
          </button>
        ) : (
          <a
            key={entry.place}
            className={styles.entry}
            href={routeHash(entry.place, [])}
            aria-current={place === entry.place ? 'page' : undefined}
            data-testid={`rail-${entry.place}`}
          >
            {inner}
          </a>
        );
      })}
    </nav>
  );
}
