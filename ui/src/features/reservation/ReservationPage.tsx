import { t } from '../../i18n';
import { Button, Empty, Panel, ProblemNote } from '../../shared/controls';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { useRoute } from '../../shared/route';
import { useRpc } from '../../shared/rpc';
import { Acts } from './Acts';
import { isAllowed, possible } from './possible';
import { ModeForm } from './ModeForm';
import { Subtitle, useModes } from './ReservationPanel';
import {
  GuestSection,
  HistorySection,
  NightsSection,
  PartySection,
  RoomsSection,
  StaySection,
} from './sections';
import styles from './Reservation.module.css';

/** One reservation in full. */
export function ReservationPage() {
  const id = useRoute().parts[0] ?? '';
  return id === '' ? <Empty title={t('place.unknown')} /> : <Page key={id} id={id} />;
}

function Page({ id }: { id: string }) {
  const { hotel, session } = useHouse();
  const [mode, setMode] = useModes();
  const detail = useRpc('reservation.get', { id });
  useHotkey('back', () => {
    if (mode !== 'view') return false;
    history.back();
    return true;
  });
  if (detail.error) {
    return (
      <div className={styles.column}>
        <ProblemNote problem={detail.error.problem}>
          <Button onPress={() => history.back()}>{t('common.back')}</Button>
        </ProblemNote>
      </div>
    );
  }
  if (!detail.data) return null;
  const { line } = detail.data;
  const shown = isAllowed(mode, possible(line, hotel.business_date, session.user?.role ?? 'front_desk')) ? mode : 'view';
  return (
    <div className={styles.page} data-testid="reservation-page">
      <div className={styles.main}>
        <header className={styles.head}>
          <div className={styles.grow}>
            <h1 className={styles.title}>{line.guest_name || t('common.no_name')}</h1>
            <Subtitle detail={detail.data} />
          </div>
          {shown === 'view' ? <Acts line={line} onMode={setMode} /> : null}
        </header>
        <div className={styles.columns}>
          <div className={styles.column}>
            <GuestSection detail={detail.data} />
            <PartySection detail={detail.data} />
          </div>
          <div className={styles.column}>
            <StaySection detail={detail.data} />
            <RoomsSection detail={detail.data} />
          </div>
          <div className={styles.column}>
            <NightsSection detail={detail.data} />
            <HistorySection detail={detail.data} />
          </div>
        </div>
      </div>
      {shown === 'view' ? null : (
        <Panel title={line.guest_name || line.number} label={t('stay.act.edit')} onClose={() => setMode('view')}>
          <ModeForm mode={shown} detail={detail.data} onDone={() => setMode('view')} />
        </Panel>
      )}
    </div>
  );
}
