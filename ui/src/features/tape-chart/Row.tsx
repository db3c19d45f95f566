import { memo } from 'react';
import type { ChartBar } from '../../generated/ChartBar';
import type { PositionCell } from '../../generated/PositionCell';
import type { RoomRow } from '../../generated/RoomRow';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { toNumber } from '../../shared/days';
import { formatClock } from '../../shared/format';
import { type ChartData, lookOf } from './chart-data';
import { barSpan, clippedSpan, inColumns, type Range, spanOfDays } from './geometry';
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

/** Day numbers of what is drawn, read from its dates once. */
const daysOf = new WeakMap<object, { from: number; until: number }>();

function barDays(of: object, from: string, until: string): { from: number; until: number } {
  let days = daysOf.get(of);
  if (!days) daysOf.set(of, (days = { from: toNumber(from), until: toNumber(until) }));
  return days;
}

interface BarProps {
  id: string;
  kind: ChartBar['kind'];
  stay: StayLine | null;
  leftPx: number;
  widthPx: number;
  /** Cut off on the left: the name moves along with what is in sight. */
  cut: boolean;
  /** The type's code before the name, where the row does not say it. */
  withType: boolean;
  lifted: boolean;
  businessDate: string;
  timeZone: string;
}

/**
 * One stay or period. One element each, text and signs included, so that a full house stays far below
 * the number of elements at which the window's engine becomes slow. Only drawn again when something that
 * is seen of it changes: scrolling does not.
 */
const Bar = memo(function Bar(props: BarProps) {
  const { stay } = props;
  const look = lookOf(props.kind, stay, props.businessDate);
  const text = stay
    ? stayText(stay, props.withType, props.timeZone)
    : t(props.kind === 'out_of_order' ? 'state.out_of_order' : 'state.out_of_service');
  return (
    <div
      className={styles.bar}
      role="gridcell"
      data-look={look}
      data-bar={props.id}
      data-stay={stay?.id}
      data-lock={(stay?.do_not_move && props.widthPx >= LOCK_PX) || undefined}
      data-balance={(stay && owes(stay)) || undefined}
      data-unsent={stay?.unsent || undefined}
      data-lifted={props.lifted || undefined}
      data-testid={stay ? `bar-${stay.number}` : undefined}
      style={{ left: props.leftPx, width: props.widthPx - 1 }}
    >
      {props.cut ? <span className={styles.name}>{text}</span> : text}
    </div>
  );
});

/** Money still owed by who is here or has left; who is yet to come owes as a rule. */
function owes(stay: StayLine): boolean {
  return stay.balance > 0 && stay.state !== 'confirmed' && stay.state !== 'held';
}

/** So many columns beyond what is mounted on the left a bar may begin and still need its name moved. */
const CUT_COLUMNS = 8;

/** The bar of a stay or period, when it reaches into the columns that are mounted. */
function barIn(
  drawn: Drawn,
  of: { id: string; from: string; until: string; kind: ChartBar['kind']; stay: StayLine | null },
  key: object,
  withType: boolean,
) {
  const { origin, columnPx, columns } = drawn;
  const days = barDays(key, of.from, of.until);
  if (!inColumns(days.from, days.until, origin, columns)) return null;
  const span = clippedSpan(spanOfDays(days.from, days.until, origin, columnPx), columns, columnPx);
  return (
    <Bar
      key={of.id}
      id={of.id}
      kind={of.kind}
      stay={of.stay}
      leftPx={span.leftPx}
      widthPx={span.widthPx}
      cut={days.from < days.until && days.from - origin <= columns.start + CUT_COLUMNS}
      withType={withType}
      lifted={of.stay !== null && of.stay.id === drawn.lifted}
      businessDate={drawn.businessDate}
      timeZone={drawn.timeZone}
    />
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
      {bars.map((bar) => barIn(props, bar, bar, false))}
    </div>
  );
});

export interface LaneRowProps extends Drawn {
  stays: readonly StayLine[];
  label: string | undefined;
  note: string | undefined;
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
      data-lane="unassigned"
      data-mark={props.target ? 'target' : undefined}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <div className={styles.label} role="rowheader">
        {props.label === undefined ? null : <b>{props.label}</b>}
        {props.note === undefined ? null : <i>{props.note}</i>}
        {props.turn ? <Turn {...props.turn} /> : null}
      </div>
      {props.stays.map((stay) =>
        barIn(
          props,
          { id: stay.id, from: stay.check_in, until: stay.check_out, kind: 'stay', stay },
          stay,
          true,
        ),
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

export interface LimitRowProps extends Drawn {
  label: string;
  name: string;
  /** The type (or the house) whose limits these are; a floor has none. */
  typeId: string | undefined;
  data: ChartData;
  top: number;
  index: number;
  kind: 'house' | 'type' | 'floor';
  open: boolean | undefined;
}

/** Left and limit per night of a type, a floor's head, or the house. */
export const LimitRowView = memo(function LimitRowView(props: LimitRowProps) {
  const { columns, columnPx, origin, typeId, data } = props;
  const shown: PositionCell[] = [];
  if (typeId !== undefined) {
    for (let column = columns.start; column < columns.end; column += 1) {
      const cell = data.cell(typeId, origin + column);
      if (cell) shown.push(cell);
    }
  }
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
      {shown.map((cell) => (
        <Limit key={cell.stay_date} cell={cell} origin={origin} columnPx={columnPx} />
      ))}
    </div>
  );
});

const Limit = memo(function Limit({
  cell,
  origin,
  columnPx,
}: {
  cell: PositionCell;
  origin: number;
  columnPx: number;
}) {
  return (
    <div
      className={styles.limit}
      role="gridcell"
      data-left={cell.left < 0 ? 'over' : cell.left === 0 ? 'none' : undefined}
      style={{ left: (toNumber(cell.stay_date) - origin) * columnPx, width: columnPx }}
    >
      {limitText(cell, columnPx)}
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
