import { memo } from 'react';
import type { ChartBar } from '../../generated/ChartBar';
import type { PositionCell } from '../../generated/PositionCell';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { formatClock } from '../../shared/format';
import { lookOf } from './chart-data';
import { barSpan, clippedSpan, inColumns, type Range } from './geometry';
import { nameOf } from './words';
import styles from './chart.module.css';

/** What every row needs to know to draw itself. */
export interface Drawn {
  origin: number;
  columnPx: number;
  columns: Range;
  businessDate: string;
  timeZone: string;
  /** The stay being carried or dragged: drawn faintly where it comes from. */
  lifted: string | undefined;
}

/** How a row takes part while a stay is carried: where it may go, and where it is now. */
export type Mark = 'legal' | 'target' | 'refused' | undefined;

/** Narrower bars have no room for the lock beside the name; the line of facts says it. */
const LOCK_PX = 44;

interface BarProps extends Drawn {
  id: string;
  from: string;
  until: string;
  kind: ChartBar['kind'];
  stay: StayLine | null;
  /** The type's code before the name, where the row does not say it. */
  withType: boolean;
}

/**
 * One stay or period. One element each, text and signs included, so that a full house stays far below
 * the number of elements at which the window's engine becomes slow.
 */
function Bar(props: BarProps) {
  const { stay, columns, columnPx, origin } = props;
  const span = clippedSpan(barSpan(props.from, props.until, origin, columnPx), columns, columnPx);
  const look = lookOf(props.kind, stay, props.businessDate);
  const text = stay
    ? stayText(stay, props.withType, props.timeZone)
    : t(`state.${look}` as 'state.out_of_order');
  // Cut off on the left: the name moves along with what is in sight.
  const cut = props.from < props.until && span.leftPx <= columns.start * columnPx + columnPx * 9;
  return (
    <div
      className={styles.bar}
      role="gridcell"
      data-look={look}
      data-bar={props.id}
      data-stay={stay?.id}
      data-lock={(stay?.do_not_move && span.widthPx >= LOCK_PX) || undefined}
      data-balance={(stay && stay.balance > 0) || undefined}
      data-unsent={stay?.unsent || undefined}
      data-lifted={(stay && stay.id === props.lifted) || undefined}
      data-testid={stay ? `bar-${stay.number}` : undefined}
      style={{ left: span.leftPx, width: span.widthPx - 1 }}
    >
      {cut ? <span className={styles.name}>{text}</span> : text}
    </div>
  );
}

function stayText(stay: StayLine, withType: boolean, timeZone: string): string {
  const name = nameOf(stay);
  if (stay.state === 'held' && stay.hold_expires_at !== null) {
    return t('chart.held_short', { time: formatClock(stay.hold_expires_at, timeZone), name });
  }
  return withType ? `${stay.type_code} ${name}` : name;
}

export interface RoomRowProps extends Drawn {
  room: RoomRow;
  typeCode: string | undefined;
  bars: readonly ChartBar[];
  top: number;
  index: number;
  outOfOrder: boolean;
  mark: Mark;
  /** The nights of the stay being carried. */
  markFrom: string | undefined;
  markUntil: string | undefined;
}

const STATUS_SIGN = { clean: '●', dirty: '○', inspected: '◆' } as const;

export const RoomRowView = memo(function RoomRowView(props: RoomRowProps) {
  const { room, bars, columns, origin, columnPx } = props;
  const status = props.outOfOrder ? 'out_of_order' : room.status;
  const mark =
    props.mark && props.markFrom !== undefined && props.markUntil !== undefined
      ? clippedSpan(barSpan(props.markFrom, props.markUntil, origin, columnPx), columns, columnPx)
      : undefined;
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={props.index}
      data-mark={props.mark}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <div className={styles.label} role="rowheader" data-status={status}>
        <b>{room.number}</b>
        {props.typeCode === undefined ? null : (
          <span className={styles.code}>{props.typeCode}</span>
        )}
        <i>
          {props.outOfOrder
            ? `✕ ${t('state.out_of_order')}`
            : `${STATUS_SIGN[room.status]} ${t(`room_status.${room.status}`)}`}
        </i>
      </div>
      {mark && mark.widthPx > 0 ? (
        <div className={styles.mark} style={{ left: mark.leftPx, width: mark.widthPx }} />
      ) : null}
      {bars.map((bar) =>
        inColumns(bar.from, bar.until, origin, columns) ? (
          <Bar
            key={bar.id}
            {...drawn(props)}
            id={bar.id}
            from={bar.from}
            until={bar.until}
            kind={bar.kind}
            stay={bar.stay}
            withType={false}
          />
        ) : null,
      )}
    </div>
  );
});

export interface LaneRowProps extends Drawn {
  stays: readonly StayLine[];
  label: string | undefined;
  count: number | undefined;
  over: boolean;
  top: number;
  index: number;
  target: boolean;
  name: string;
  /** Turns to further lanes, where there are more than fit. */
  turn: { from: number; max: number; by: (direction: 1 | -1) => void } | undefined;
}

/** A lane of those without a room. */
export const LaneRowView = memo(function LaneRowView(props: LaneRowProps) {
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={props.index}
      aria-label={props.name}
      data-lane={props.over ? 'over' : 'unassigned'}
      data-mark={props.target ? 'target' : undefined}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <div className={styles.label} role="rowheader">
        {props.label === undefined ? null : <b>{props.label}</b>}
        {props.count === undefined ? null : <i>{props.count}</i>}
        {props.turn ? <Turn {...props.turn} /> : null}
      </div>
      {props.stays.map((stay) =>
        inColumns(stay.check_in, stay.check_out, props.origin, props.columns) ? (
          <Bar
            key={stay.id}
            {...drawn(props)}
            id={stay.id}
            from={stay.check_in}
            until={stay.check_out}
            kind="stay"
            stay={stay}
            withType
          />
        ) : null,
      )}
    </div>
  );
});

function Turn({ from, max, by }: { from: number; max: number; by: (direction: 1 | -1) => void }) {
  return (
    <span className={styles.turn}>
      <button
        type="button"
        tabIndex={-1}
        disabled={from === 0}
        aria-label={t('chart.lanes_up')}
        onClick={() => by(-1)}
      >
        ▴
      </button>
      <button
        type="button"
        tabIndex={-1}
        disabled={from === max}
        aria-label={t('chart.lanes_down')}
        onClick={() => by(1)}
      >
        ▾
      </button>
      {from < max ? <i>{t('chart.more_lanes', { count: max - from })}</i> : null}
    </span>
  );
}

function drawn(props: Drawn): Drawn {
  const { origin, columnPx, columns, businessDate, timeZone, lifted } = props;
  return { origin, columnPx, columns, businessDate, timeZone, lifted };
}

export interface LimitRowProps extends Drawn {
  label: string;
  name: string;
  cells: ReadonlyMap<number, PositionCell> | undefined;
  top: number;
  index: number;
  kind: 'house' | 'type' | 'floor';
  open: boolean | undefined;
}

/** Left and limit per night of a type, a floor's head, or the house. */
export const LimitRowView = memo(function LimitRowView(props: LimitRowProps) {
  const { columns, columnPx, origin, cells } = props;
  const shown: (PositionCell | undefined)[] = [];
  if (cells)
    for (let column = columns.start; column < columns.end; column += 1)
      shown.push(cells.get(origin + column));
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={props.index}
      data-head={props.kind}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <div
        className={styles.label}
        role="rowheader"
        data-toggle={props.open === undefined ? undefined : true}
        aria-expanded={props.open}
      >
        {props.open === undefined ? null : (
          <span className={styles.fold}>{props.open ? '▾' : '▸'}</span>
        )}
        <b>{props.label}</b>
        <i>{props.name}</i>
      </div>
      {shown.map((cell, index) =>
        cell ? (
          <div
            key={columns.start + index}
            className={styles.limit}
            role="gridcell"
            data-left={cell.left < 0 ? 'over' : cell.left === 0 ? 'none' : undefined}
            style={{ left: (columns.start + index) * columnPx, width: columnPx }}
          >
            {limitText(cell, columnPx)}
          </div>
        ) : null,
      )}
    </div>
  );
});

/** About the width of a digit at 12 px. */
const DIGIT_PX = 7.2;

function limitText(cell: PositionCell, columnPx: number): string {
  const fits = (text: string): boolean => text.length * DIGIT_PX + 2 <= columnPx;
  if (cell.left < 0) {
    const words = t('chart.over_short', { count: -cell.left });
    return fits(words) ? words : `▲${-cell.left}`;
  }
  const both = `${cell.left}/${cell.limit}`;
  return fits(both) ? both : String(cell.left);
}
