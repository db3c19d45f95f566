import { t } from '../../i18n';
import type { PositionCell } from '../../generated/PositionCell';
import { formatClock, formatDate, formatLeft } from '../../shared/format';
import { useHouse } from '../../shared/house';
import { routeHash } from '../../shared/route';
import { UserMenu } from './UserMenu';
import styles from './Strip.module.css';

/** Always in sight: hotel, open day, tonight's position, sync, tasks, who. */
export function Strip({ onSignInAgain }: { onSignInAgain: () => void }) {
  const { hotel, status } = useHouse();
  return (
    <header className={styles.strip} data-testid="strip">
      <span className={styles.hotel} data-testid="strip-hotel">
        {hotel.name}
      </span>
      <span
        className={styles.day}
        data-overdue={status.day_overdue || undefined}
        title={t('strip.business_date')}
        data-testid="strip-date"
      >
        {formatDate(hotel.business_date)}
      </span>
      <nav className={styles.tonight} aria-label={t('strip.tonight')}>
        {status.tonight.map((cell) => (
          <Tonight key={cell.room_type_id} cell={cell} />
        ))}
      </nav>
      <span className={styles.gap} />
      <Sync onSignInAgain={onSignInAgain} />
      <a
        className={styles.tasks}
        data-some={status.tasks > 0 || undefined}
        href={routeHash('tasks', [])}
        data-testid="strip-tasks"
      >
        {t('strip.tasks', { count: status.tasks })}
      </a>
      <UserMenu />
    </header>
  );
}

/** Nil stands for the house. */
const HOUSE_ID = '00000000-0000-0000-0000-000000000000';

function Tonight({ cell }: { cell: PositionCell }) {
  const isHouse = cell.room_type_id === HOUSE_ID;
  const over = cell.left < 0;
  return (
    <a
      className={styles.cell}
      href={routeHash('position', [])}
      data-house={isHouse || undefined}
      data-over={over || undefined}
      data-none={cell.left === 0 || undefined}
      title={t('strip.cell', {
        total: cell.total,
        out: cell.out_of_order,
        sold: cell.sold,
        hold: cell.on_hold,
        lent: cell.lent,
        limit: cell.limit,
        left: cell.left,
      })}
      data-testid={`strip-${cell.code}`}
    >
      <span className={styles.code}>{isHouse ? t('common.house') : cell.code}</span>
      <span className={styles.left}>
        {over ? <span aria-hidden="true">▲ </span> : null}
        {formatLeft(cell.left, cell.limit)}
      </span>
      {isHouse && cell.binds ? (
        <span className={styles.binds} title={t('strip.binds_why')}>
          {t('strip.binds')}
        </span>
      ) : null}
    </a>
  );
}

function Sync({ onSignInAgain }: { onSignInAgain: () => void }) {
  const { hotel, status } = useHouse();
  const { sync, unsent } = status;
  const waiting = unsent > 0 ? ` · ${t('strip.unsent', { count: unsent })}` : '';
  const [sign, text] = (() => {
    switch (sync.phase) {
      case 'in_sync':
        return ['●', t('strip.in_sync') + waiting];
      case 'offline':
        return ['◐', t('strip.offline', { since: formatClock(sync.since, hotel.time_zone) }) + waiting];
      case 'first_sync':
        return ['◌', t('strip.loading') + waiting];
      case 'update_needed':
        return ['▲', t('strip.update_needed') + waiting];
      case 'sign_in_again':
      case 'signed_out':
        return ['▲', t('strip.sign_in_again') + waiting];
    }
  })();
  const inner = (
    <>
      <span className={styles.sign} aria-hidden="true">
        {sign}
      </span>
      {text}
    </>
  );
  const common = {
    className: styles.sync,
    'data-phase': sync.phase,
    'data-unsent': unsent > 0 || undefined,
    'data-testid': 'strip-sync',
  };
  if (sync.phase === 'sign_in_again' || sync.phase === 'signed_out') {
    return (
      <button type="button" {...common} onClick={onSignInAgain}>
        {inner}
      </button>
    );
  }
  return (
    <a {...common} href={routeHash('tasks', [])}>
      {inner}
    </a>
  );
}
