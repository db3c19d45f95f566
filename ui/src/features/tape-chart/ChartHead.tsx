import { useEffect, useRef } from 'react';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { type ChartData, HOUSE_ID } from './chart-data';
import { CursorCell } from './CursorCell';
import type { Cell } from './cursor';
import { DateHead } from './DateHead';
import { ROW_PX } from './geometry';
import { type Drawn, LaneRowView, LimitRowView } from './Row';
import styles from './chart.module.css';

export const DATES_PX = 48;

const NO_STAYS: readonly StayLine[] = [];

/** The lanes of those without a room, of which some are in sight. */
export interface LanesInSight {
  all: readonly (readonly StayLine[])[];
  from: number;
  shown: number;
  /** The last lane that can be the first in sight. */
  max: number;
  /** How many of them arrive today. */
  arriving: number;
}

interface ChartHeadProps {
  drawn: Drawn;
  data: ChartData;
  today: number;
  lanes: LanesInSight;
  onLanes: (change: (from: number) => number) => void;
  /** The rows of the head below the dates, top to bottom. */
  keys: readonly string[];
  cell: Cell | undefined;
  cellText: string;
  focused: boolean;
  /** The row under what is carried. */
  target: string | undefined;
  waiting: boolean;
}

/** What stays in sight at the top: dates, the house's limits, and who has no room. */
export function ChartHead(props: ChartHeadProps) {
  const { drawn, data, lanes, onLanes, keys, cell } = props;
  const heightPx = DATES_PX + ROW_PX * keys.length;
  const clamp = (from: number) => Math.max(0, Math.min(lanes.max, from));

  // The wheel over the lanes turns the lanes. React's own wheel handler is passive and cannot.
  const head = useRef<HTMLDivElement>(null);
  const { max } = lanes;
  useEffect(() => {
    const element = head.current;
    if (!element || max === 0) return;
    let turned = 0;
    const onWheel = (event: WheelEvent) => {
      // While a bar is dragged the wheel is for the rooms, wherever the pointer is.
      if (element.closest('[data-dragging]')) return;
      if (event.shiftKey || event.ctrlKey) return;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      turned += event.deltaMode === 0 ? event.deltaY : event.deltaY * ROW_PX;
      const lines = Math.trunc(turned / ROW_PX);
      if (lines === 0) return;
      turned -= lines * ROW_PX;
      onLanes((from) => Math.min(max, Math.max(0, Math.min(from, max) + lines)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [max, onLanes]);

  const turn = {
    from: lanes.from,
    max,
    by: (direction: 1 | -1) => onLanes(() => clamp(lanes.from + direction * lanes.shown)),
  };
  return (
    <div className={styles.head} role="presentation" ref={head} style={{ height: heightPx }}>
      <DateHead
        origin={drawn.origin}
        columnPx={drawn.columnPx}
        columns={drawn.columns}
        businessDay={props.today}
      />
      <LimitRowView
        {...drawn}
        label={t('common.house')}
        name=""
        kind="house"
        open={undefined}
        typeId={HOUSE_ID}
        data={data}
        top={DATES_PX}
        index={2}
      />
      {Array.from({ length: lanes.shown }, (_, index) => {
        const lane = lanes.from + index;
        const first = index === 0;
        return (
          <LaneRowView
            key={`lane:${lane}`}
            {...drawn}
            stays={lanes.all[lane] ?? NO_STAYS}
            label={first ? t('chart.unassigned') : undefined}
            note={
              first && lanes.arriving > 0
                ? t('chart.arriving', { count: lanes.arriving })
                : undefined
            }
            target={props.target === `lane:${lane}`}
            name={t('chart.unassigned')}
            turn={index === 1 && max > 0 ? turn : undefined}
            top={DATES_PX + ROW_PX * (1 + index)}
            index={3 + lane}
          />
        );
      })}
      {lanes.all.length === 0 && !props.waiting ? (
        <p className={styles.nobody}>{t('chart.nobody_unassigned')}</p>
      ) : null}
      {cell && keys.includes(cell.row) ? (
        <CursorCell
          cell={cell}
          top={DATES_PX + ROW_PX * keys.indexOf(cell.row)}
          text={props.cellText}
          origin={drawn.origin}
          columnPx={drawn.columnPx}
          focused={props.focused}
        />
      ) : null}
    </div>
  );
}
