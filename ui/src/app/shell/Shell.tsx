import { Suspense, useEffect, useRef, useState } from 'react';
import { CheckOutPanel } from '../../features/check-out/CheckOutPanel';
import { FindPalette } from '../../features/find/FindPalette';
import { ReservationPanel } from '../../features/reservation/ReservationPanel';
import { t } from '../../i18n';
import { Empty } from '../../shared/controls';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { closePanel, navigate, panelOf, useRoute } from '../../shared/route';
import { useSideNow } from '../../shared/side';
import { loadAhead, PLACES } from '../places';
import { Rail } from './Rail';
import { Strip } from './Strip';
import styles from './Shell.module.css';

/** The first place is up by then. */
const AHEAD_MS = 1_000;

/** The three bands: the strip, the rail, the place with its panel. */
export function Shell({ onSignInAgain }: { onSignInAgain: () => void }) {
  const route = useRoute();
  const panel = panelOf(route);
  const side = useSideNow();
  const { status } = useHouse();
  const [finding, setFinding] = useState(false);
  const frame = useRef<HTMLElement>(null);
  const place = PLACES[route.place];

  useEffect(() => {
    const timer = setTimeout(loadAhead, AHEAD_MS);
    return () => clearTimeout(timer);
  }, []);

  useKeys(() => setFinding(true));
  const close = () => {
    closePanel();
    focusPlace(frame.current);
  };
  useHotkey('back', () => {
    if (!panel) return false;
    close();
    return true;
  });

  useEffect(() => {
    if (frame.current) return keepFocus(frame.current);
  }, []);

  const Screen = place?.screen;
  return (
    <div className={styles.shell}>
      <Strip onSignInAgain={onSignInAgain} />
      {status.day_overdue ? (
        <div className={styles.banner} role="status">
          {t('strip.overdue')}
        </div>
      ) : null}
      <div className={styles.middle}>
        <Rail place={route.place} onFind={() => setFinding(true)} />
        <main
          className={styles.place}
          ref={frame}
          tabIndex={-1}
          aria-label={place ? t(place.label) : undefined}
          data-testid={`place-${route.place}`}
        >
          <Suspense fallback={null}>
            {Screen ? (
              <Screen key={route.place} />
            ) : (
              <Empty title={t('place.unknown')}>{t('place.unknown_how')}</Empty>
            )}
          </Suspense>
        </main>
        {panel?.kind === 'check-out' ? (
          <CheckOutPanel key={panel.id} id={panel.id} onClose={close} />
        ) : panel ? (
          <ReservationPanel
            key={`${panel.id} ${panel.form ?? ''}`}
            id={panel.id}
            form={panel.form}
            onClose={close}
          />
        ) : side?.kind === 'reservation' ? (
          <ReservationPanel key={side.id} id={side.id} />
        ) : side ? (
          <aside className={styles.side}>{side.text}</aside>
        ) : null}
      </div>
      {finding ? <FindPalette onClose={() => setFinding(false)} /> : null}
    </div>
  );
}

/**
 * The focus is never nowhere: when what had it goes away (a button of a panel, a place that was left),
 * the place's own list takes it, so that the next arrow key means something.
 */
function keepFocus(place: HTMLElement): () => void {
  let asked = 0;
  const check = () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(() => {
      const active = document.activeElement;
      if (!active || active === document.body) focusPlace(place);
    });
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, subtree: true });
  addEventListener('focusout', check);
  return () => {
    observer.disconnect();
    removeEventListener('focusout', check);
    cancelAnimationFrame(asked);
  };
}

function focusPlace(frame: HTMLElement | null): void {
  const first = frame?.querySelector<HTMLElement>('[data-autofocus], [role="listbox"], [role="grid"]');
  (first ?? frame)?.focus({ preventScroll: true });
}

function useKeys(find: () => void): void {
  useHotkey('find', find);
  useHotkey('find_slash', find);
  useHotkey('find_place', find);
  useHotkey('today', () => navigate('today'));
  useHotkey('chart', () => navigate('chart'));
  useHotkey('tape_chart', () => navigate('chart'));
  useHotkey('new', () => navigate('new'));
  useHotkey('new_reservation', () => navigate('new'));
  useHotkey('walk_in', () => navigate('new', [], { query: { walk_in: '1' } }));
  useHotkey('position', () => navigate('position'));
  useHotkey('house_position', () => navigate('position'));
  useHotkey('tasks', () => navigate('tasks'));
  useHotkey('arrivals', () => navigate('today', ['due_in']));
  useHotkey('in_house', () => navigate('today', ['in_house']));
  useHotkey('departures', () => navigate('today', ['due_out']));
  useHotkey('print', () => print());
}
