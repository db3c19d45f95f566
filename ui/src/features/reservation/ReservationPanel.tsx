import { useEffect, useRef, useState } from 'react';
import type { ReservationDetail } from '../../generated/ReservationDetail';
import { t } from '../../i18n';
import { Button, Panel, ProblemNote, StateMark } from '../../shared/controls';
import { formatStay } from '../../shared/format';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { navigate, openPanel } from '../../shared/route';
import { useRpc } from '../../shared/rpc';
import { Acts } from './Acts';
import { isAllowed, modeOf, possible, type Mode } from './possible';
import { ModeForm } from './ModeForm';
import { GuestSection, HistorySection, NightsSection, PartySection, StaySection } from './sections';
import styles from './Reservation.module.css';

export interface ReservationPanelProps {
  id: string;
  /** Absent where the panel only follows the list's cursor. */
  onClose?: (() => void) | undefined;
  /** The form to begin with; leaving it closes the panel. */
  form?: string | null;
}

/** One reservation at the right of any place. */
export function ReservationPanel({ id, onClose, form = null }: ReservationPanelProps) {
  const { hotel, session } = useHouse();
  const first = modeOf(form);
  const [own, setOwn] = useModes();
  const mode = first === 'view' ? own : first;
  const setMode = (next: Mode) => {
    // A panel that follows the cursor would take a form away with the next sync: pin it first.
    if (!onClose) openPanel('reservation', id, next);
    else if (first === 'view') setOwn(next);
    else onClose();
  };
  const detail = useRpc('reservation.get', { id });
  const label = t('place.reservation');
  if (detail.error) {
    return (
      <Panel title={label} label={label} onClose={onClose}>
        <ProblemNote problem={detail.error.problem} />
      </Panel>
    );
  }
  if (!detail.data) return <Panel title="" label={label} onClose={onClose} />;
  const { line } = detail.data;
  const shown = isAllowed(mode, possible(line, hotel.business_date, session.user?.role ?? 'front_desk')) ? mode : 'view';
  return (
    <Panel
      title={line.guest_name || t('common.no_name')}
      subtitle={<Subtitle detail={detail.data} />}
      actions={
        <Button
          kind="quiet"
          aria-label={t('stay.act.open')}
          onPress={() => navigate('reservation', [line.id])}
          data-testid="stay-open"
        >
          <span title={t('stay.act.open')} aria-hidden="true">
            ⤢
          </span>
        </Button>
      }
      label={label}
      onClose={onClose}
      focused={onClose !== undefined}
      data-testid="reservation-panel"
      footer={shown === 'view' ? <Acts line={line} onMode={setMode} /> : null}
    >
      {shown === 'view' ? (
        <>
          <StaySection detail={detail.data} />
          <GuestSection detail={detail.data} />
          <PartySection detail={detail.data} />
          <NightsSection detail={detail.data} />
          <HistorySection detail={detail.data} />
        </>
      ) : (
        <ModeForm mode={shown} detail={detail.data} onDone={() => setMode('view')} />
      )}
    </Panel>
  );
}

export function Subtitle({ detail }: { detail: ReservationDetail }) {
  const { hotel } = useHouse();
  const { line } = detail;
  const dueOut = line.state === 'checked_in' && line.check_out <= hotel.business_date;
  return (
    <span className={styles.sub}>
      <StateMark state={dueOut ? 'due_out' : line.state} />
      <span>{formatStay(line.check_in, line.check_out, hotel.business_date)}</span>
      <span data-testid="reservation-number">{line.number}</span>
      {line.over_limit ? <StateMark state="over_limit" /> : null}
      {line.unsent ? <span className={styles.warn}>◐ {t('common.unsent')}</span> : null}
    </span>
  );
}

/** Reading, or one of the forms. Escape goes back to reading, and the focus to where it was before. */
export function useModes(): [Mode, (mode: Mode) => void] {
  const [mode, setMode] = useState<Mode>('view');
  const before = useRef<HTMLElement | null>(null);
  const change = (next: Mode) => {
    if (next === 'view') {
      const back = before.current;
      // The buttons come back with the next drawing.
      requestAnimationFrame(() => {
        if (back?.isConnected) back.focus();
        else focusFallback();
      });
    } else if (document.activeElement instanceof HTMLElement) {
      before.current = document.querySelector<HTMLElement>('[role="listbox"]') ?? document.activeElement;
    }
    setMode(next);
  };
  useHotkey(
    'back',
    () => {
      change('view');
      return true;
    },
    mode !== 'view',
  );
  useEffect(() => () => void (before.current = null), []);
  return [mode, change];
}

function focusFallback(): void {
  document.querySelector<HTMLElement>('main [role="listbox"], main [role="grid"], main')?.focus();
}
