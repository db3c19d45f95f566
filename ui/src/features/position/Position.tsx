import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { PositionCell } from '../../generated/PositionCell';
import { t } from '../../i18n';
import { Facts, ProblemNote } from '../../shared/controls';
import { isWeekend, toNumber } from '../../shared/days';
import { addDays, eachNight, formatDate, formatDay, formatWeekday } from '../../shared/format';
import { useHouse } from '../../shared/house';
import { useRpc } from '../../shared/rpc';
import styles from './Position.module.css';

const NIGHTS = 14;
const HOUSE_ID = '00000000-0000-0000-0000-000000000000';

/** Types and the house by nights: what is left, what may be sold, what stops the next sale. */
export function Position() {
  const { hotel } = useHouse();
  const [from, setFrom] = useState(hotel.business_date);
  const position = useRpc('position.get', { from, nights: NIGHTS }, { keepPrevious: true });
  const catalogue = useRpc('catalogue.get', {});
  const grid = useRef<HTMLTableElement>(null);
  const [cursor, setCursor] = useState({ row: 0, column: 0 });
  const isReady = position.isSuccess;
  useEffect(() => {
    if (isReady) grid.current?.focus();
  }, [isReady]);

  if (position.error) return <ProblemNote problem={position.error.problem} />;
  const cells = position.data?.cells ?? [];
  const nights = eachNight(from, NIGHTS);
  const rows = [...new Set(cells.map((cell) => cell.room_type_id))];
  const at = (row: string | undefined, night: string | undefined) =>
    cells.find((cell) => cell.room_type_id === row && cell.stay_date === night);
  const chosen = at(rows[cursor.row], nights[cursor.column]);

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    if (event.key === 'PageDown' || event.key === 'PageUp') {
      const next = addDays(from, event.key === 'PageDown' ? NIGHTS : -NIGHTS);
      setFrom(next < hotel.business_date ? hotel.business_date : next);
    } else if (step) {
      const column = cursor.column + step[1];
      // Past the edge the window moves on by a night, never to before the open day.
      if (column >= NIGHTS) setFrom(addDays(from, 1));
      else if (column < 0 && from > hotel.business_date) setFrom(addDays(from, -1));
      setCursor({
        row: Math.max(0, Math.min(rows.length - 1, cursor.row + step[0])),
        column: Math.max(0, Math.min(NIGHTS - 1, column)),
      });
    } else return;
    event.preventDefault();
  };

  return (
    <div className={styles.position} data-testid="position">
      <header className={styles.head}>
        <h1 className={styles.title}>{t('position.title')}</h1>
        <span className={styles.faint}>
          {t('position.span', {
            from: formatDate(from, hotel.business_date),
            until: formatDate(addDays(from, NIGHTS - 1), hotel.business_date),
          })}
        </span>
        <span className={styles.faint}>{t('position.how')}</span>
      </header>
      <div className={styles.frame}>
        <table
          ref={grid}
          className={styles.grid}
          role="grid"
          tabIndex={0}
          aria-label={t('position.title')}
          aria-activedescendant={chosen ? `position-${cursor.row}-${cursor.column}` : undefined}
          onKeyDown={move}
        >
          <thead>
            <tr>
              <th />
              {nights.map((night) => (
                <th key={night} scope="col" data-weekend={isWeekend(toNumber(night)) || undefined}>
                  <span className={styles.weekday}>{formatWeekday(night)}</span>
                  {formatDay(night, hotel.business_date)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((id, row) => {
              const type = catalogue.data?.types.find((one) => one.id === id);
              const isHouse = id === HOUSE_ID;
              return (
                <tr key={id} data-house={isHouse || undefined}>
                  <th scope="row">
                    {isHouse ? t('common.house') : (type?.code ?? '')}
                    <span className={styles.name}>{type?.name ?? ''}</span>
                  </th>
                  {nights.map((night, column) => {
                    const cell = at(id, night);
                    return (
                      <td
                        key={night}
                        id={`position-${row}-${column}`}
                        aria-selected={row === cursor.row && column === cursor.column}
                        data-weekend={isWeekend(toNumber(night)) || undefined}
                        data-over={(cell && cell.left < 0) || undefined}
                        data-none={cell?.left === 0 || undefined}
                        onClick={() => setCursor({ row, column })}
                      >
                        {cell ? <Left cell={cell} /> : ''}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {chosen ? (
        <footer className={styles.facts} aria-live="polite" data-testid="position-facts">
          <h2>
            {chosen.room_type_id === HOUSE_ID ? t('common.house') : chosen.code} ·{' '}
            {formatDate(chosen.stay_date, hotel.business_date)}
            {chosen.binds && chosen.room_type_id === HOUSE_ID ? <span className={styles.binds}> {t('position.binds')}</span> : null}
          </h2>
          <div className={styles.sum}>
            <Facts
              rows={[
                [t('position.total'), chosen.total],
                [t('position.out_of_order'), chosen.out_of_order],
                [t('position.limit'), chosen.limit],
              ]}
            />
            <Facts
              rows={[
                [t('position.sold'), chosen.sold],
                [t('position.on_hold'), chosen.on_hold],
                [t('position.lent'), chosen.lent],
              ]}
            />
            <Facts
              rows={[
                [
                  t('position.left'),
                  chosen.left < 0 ? t('common.over_by', { count: -chosen.left }) : chosen.left,
                ],
              ]}
            />
          </div>
        </footer>
      ) : null}
    </div>
  );
}

function Left({ cell }: { cell: PositionCell }) {
  const over = cell.left < 0;
  return (
    <span className={styles.cell} data-binds={(cell.binds && cell.room_type_id === HOUSE_ID) || undefined}>
      {over ? (
        <>
          <span aria-hidden="true">▲ </span>
          {t('position.over_short', { count: -cell.left })}
        </>
      ) : (
        <>
          {cell.left}
          <span className={styles.limit}> / {cell.limit}</span>
        </>
      )}
    </span>
  );
}
