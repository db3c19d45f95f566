import { useMemo } from 'react';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import type { ChartCells } from './cells';
import type { ChartData } from './chart-data';
import { CursorCell } from './CursorCell';
import type { Cell } from './cursor';
import { months } from './DateHead';
import { type Range, ROW_PX } from './geometry';
import { type Drawn, LimitRowView, type Mark, RoomRowView } from './Row';
import type { ChartRow, Grouping } from './rows';
import styles from './chart.module.css';

interface ChartBodyProps {
  drawn: Drawn;
  data: ChartData;
  cells: ChartCells;
  today: number;
  labelPx: number;
  grouping: Grouping;
  closed: ReadonlySet<string>;
  rows: readonly ChartRow[];
  rowIndex: ReadonlyMap<string, number>;
  mounted: Range;
  /** Rows above the body, for those who count by ear. */
  rowsAbove: number;
  /** The stay that is carried or dragged, and the row it is over. */
  lifted: StayLine | undefined;
  target: string | undefined;
  /** By the keyboard: the cursor shows it. */
  carried: StayLine | undefined;
  cell: Cell | undefined;
  cellText: string;
  focused: boolean;
}

/** The rooms. */
export function ChartBody(props: ChartBodyProps) {
  const { drawn, data, cells, rows, lifted, target, carried, cell, closed } = props;
  const { origin, columnPx, columns, businessDate } = drawn;

  const outOfOrder = useMemo(() => {
    const found = new Set<string>();
    for (const bar of data.outOfOrder()) {
      if (bar.from <= businessDate && businessDate < bar.until) found.add(bar.room_id);
    }
    return found;
  }, [data, businessDate]);

  const markOf = (key: string): Mark => {
    if (!lifted) return undefined;
    const where = cells.place(lifted, key);
    if (key === target) return where.legal ? 'target' : 'refused';
    return where.legal && where.act !== 'nothing' ? 'legal' : undefined;
  };

  const cellRow = cell ? props.rowIndex.get(cell.row) : undefined;
  return (
    <div
      className={styles.body}
      role="presentation"
      style={{ height: rows.length * ROW_PX, ...weekend(origin, columnPx, props.labelPx) }}
    >
      {months(origin, columns)
        .filter((month) => month.day.endsWith('-01'))
        .map((month) => (
          <div
            key={month.day}
            className={styles.monthLine}
            style={{ left: month.start * columnPx }}
          />
        ))}
      <div
        className={styles.today}
        data-testid="chart-today-line"
        style={{ left: (props.today - origin) * columnPx, width: columnPx }}
      />
      {rows.slice(props.mounted.start, props.mounted.end).map((row, offset) => {
        const index = props.mounted.start + offset;
        const place = { top: index * ROW_PX, index: 1 + props.rowsAbove + index };
        if (row.kind === 'room') {
          return (
            <RoomRowView
              key={row.key}
              {...drawn}
              {...place}
              room={row.room}
              typeCode={props.grouping === 'floor' ? row.type?.code : undefined}
              bars={data.barsOf(row.key)}
              outOfOrder={outOfOrder.has(row.key)}
              mark={markOf(row.key)}
              markFrom={lifted?.check_in}
              markUntil={lifted?.check_out}
            />
          );
        }
        const type = row.kind === 'type' ? row.type : undefined;
        return (
          <LimitRowView
            key={row.key}
            {...drawn}
            {...place}
            label={row.kind === 'type' ? row.type.code : t('chart.floor', { floor: row.floor })}
            name={type?.name ?? t('chart.rooms', { count: row.rooms })}
            kind={row.kind}
            open={!closed.has(row.key)}
            typeId={type?.id}
            data={data}
          />
        );
      })}
      {cell && cellRow !== undefined ? (
        <CursorCell
          cell={cell}
          top={cellRow * ROW_PX}
          text={props.cellText}
          origin={origin}
          columnPx={columnPx}
          focused={props.focused}
          carried={carried}
          refused={carried ? !cells.place(carried, cell.row).legal : false}
        />
      ) : null}
    </div>
  );
}

/** Saturdays and Sundays shaded by one background for all rows. */
function weekend(origin: number, columnPx: number, labelPx: number): React.CSSProperties {
  // 1970-01-03 was a Saturday: day 2.
  const toSaturday = (((2 - origin) % 7) + 7) % 7;
  return {
    '--saturday': `${labelPx + toSaturday * columnPx}px`,
    '--week': `${7 * columnPx}px`,
  } as React.CSSProperties;
}
