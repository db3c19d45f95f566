import type { StayLine } from '../../generated/StayLine';
import { fromNumber } from '../../shared/days';
import { noonOf } from './cells';
import type { Cell } from './cursor';
import { barSpan } from './geometry';
import { nameOf } from './words';
import styles from './chart.module.css';

interface CursorCellProps {
  cell: Cell;
  top: number;
  text: string;
  origin: number;
  columnPx: number;
  focused: boolean;
  carried?: StayLine | undefined;
  refused?: boolean;
}

/** The cell under the cursor; with what is carried, drawn where it would lie. */
export function CursorCell({
  cell,
  top,
  text,
  origin,
  columnPx,
  focused,
  carried,
  refused,
}: CursorCellProps) {
  const span = carried
    ? barSpan(carried.check_in, carried.check_out, origin, columnPx)
    : { leftPx: (cell.day - origin + noonOf(cell.row)) * columnPx, widthPx: columnPx };
  return (
    <div className={styles.cursorRow} role="row" style={{ transform: `translateY(${top}px)` }}>
      <div
        id="chart-cursor"
        className={styles.cursor}
        role="gridcell"
        aria-selected={carried !== undefined}
        aria-label={text}
        data-testid="chart-cell"
        data-row={cell.row}
        data-day={fromNumber(cell.day)}
        data-focused={focused || undefined}
        data-carried={carried ? (refused ? 'refused' : 'legal') : undefined}
        style={{ left: span.leftPx, width: span.widthPx }}
      >
        {carried ? nameOf(carried) : null}
      </div>
    </div>
  );
}
