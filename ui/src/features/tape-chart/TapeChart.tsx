import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import { Empty, ProblemNote } from '../../shared/controls';
import { fromNumber, pageMonth, toNumber } from '../../shared/days';
import { formatDate } from '../../shared/format';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { navigate, openPanel } from '../../shared/route';
import { ChartCells, noonOf } from './cells';
import { barOn } from './chart-data';
import { ChartBody } from './ChartBody';
import { ChartHead, DATES_PX } from './ChartHead';
import { type Cell, type CursorAct, type CursorGrid, type CursorState, moveCursor } from './cursor';
import { FactBar } from './FactBar';
import { ROW_PX, scrollInto, zoomed } from './geometry';
import { type Lanes, stack } from './lanes';
import { heldFast } from './legality';
import { FactLine } from './line';
import { loadPrefs, savePrefs } from './prefs';
import type { Drawn } from './Row';
import { chartRows, type Grouping } from './rows';
import { Toolbar } from './Toolbar';
import { useChartData } from './useChartData';
import { useDrag } from './useDrag';
import { DAYS_BEFORE, NO_SIGHT, useFrame } from './useFrame';
import { useMoves } from './useMoves';
import { barFacts, nameOf, refusalText, stayFacts } from './words';
import styles from './chart.module.css';

/** Width of the first column; by floor it also says each room's type. */
const LABEL_PX = { type: 148, floor: 176 } as const;
/** The copy reaches so far back (design section 6). */
const DAYS_BACK = 30;
export function TapeChart() {
  const { hotel } = useHouse();
  const businessDate = hotel.business_date;
  const today = toNumber(businessDate);
  // Fixed while the chart is open: closing the day must not move every column under the pointer.
  const [origin] = useState(today - DAYS_BACK);
  const end = Math.max(today + hotel.window_days, origin + 60);
  const columnCount = end - origin;

  const [prefs, setPrefs] = useState(loadPrefs);
  const { columnPx } = prefs;
  const labelPx = LABEL_PX[prefs.grouping];
  const changePrefs = useCallback((change: Partial<typeof prefs>) => {
    setPrefs((before) => {
      const next = { ...before, ...change };
      savePrefs(next);
      return next;
    });
  }, []);

  const frame = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState(NO_SIGHT);
  const { columns } = sight;
  const [laneTop, setLaneTop] = useState(0);
  const [cursor, setCursor] = useState<CursorState>({ cell: undefined, carried: undefined });
  const [focused, setFocused] = useState(false);
  const [spoken, setSpoken] = useState('');
  const [line] = useState(() => new FactLine());

  const { data, waiting, problem } = useChartData(
    { start: origin + columns.start, end: origin + Math.max(columns.end, columns.start + 1) },
    origin,
    end,
  );

  const closed = useMemo(() => new Set(prefs.closed), [prefs.closed]);
  const rows = useMemo(
    () => chartRows(data.rooms, data.types, prefs.grouping, closed),
    [data.rooms, data.types, prefs.grouping, closed],
  );
  const rowIndex = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows]);

  // Lanes keep their places while the pane is in use; a new visit packs them anew.
  const lanesBefore = useRef<Lanes>(new Map());
  const lanes = useMemo(() => {
    const { lanes: laneOf, count } = stack(data.unassigned, lanesBefore.current);
    // The first blocks come in any order: nobody has taken hold of anything before all are there.
    if (!waiting) lanesBefore.current = laneOf;
    const list: StayLine[][] = Array.from({ length: count }, () => []);
    for (const stay of data.unassigned) list[laneOf.get(stay.id) ?? 0]?.push(stay);
    return list;
  }, [data.unassigned, waiting]);
  const arriving = useMemo(
    () => data.unassigned.filter((stay) => stay.check_in === businessDate).length,
    [data.unassigned, businessDate],
  );

  // The pane's height depends on the window alone, so that rooms do not move when a stay comes or goes.
  const lanesShown = Math.min(6, Math.max(2, Math.floor((sight.heightPx * 0.15) / ROW_PX)));
  const laneMax = Math.max(0, lanes.length - lanesShown);
  const laneFrom = Math.min(laneTop, laneMax);
  const headPx = DATES_PX + ROW_PX * (1 + lanesShown);
  const bodyViewPx = Math.max(ROW_PX, sight.heightPx - headPx);
  const gridViewPx = Math.max(columnPx, sight.widthPx - labelPx);

  const { measure, scrollToDay, keepLeft } = useFrame({
    frame,
    sight,
    onSight: setSight,
    origin,
    today,
    columnPx,
    columnCount,
    rowCount: rows.length,
    labelPx,
    headPx,
  });

  // --- going about -------------------------------------------------------------------------------
  const leftDay = (): number => origin + Math.ceil((frame.current?.scrollLeft ?? 0) / columnPx);
  const goToday = () => {
    scrollToDay(today - DAYS_BEFORE);
    setCursor((state) =>
      state.carried || !state.cell
        ? state
        : { ...state, cell: { row: state.cell.row, day: today } },
    );
    setSpoken(t('chart.showing', { date: formatDate(fromNumber(today)) }));
  };
  const goMonth = (direction: 1 | -1) => {
    const day = toNumber(pageMonth(fromNumber(leftDay()), direction));
    const shown = Math.min(Math.max(day, origin), end - 1);
    scrollToDay(shown);
    setCursor((state) =>
      state.carried || !state.cell
        ? state
        : { ...state, cell: { row: state.cell.row, day: shown } },
    );
    setSpoken(t('chart.showing', { date: formatDate(fromNumber(shown), businessDate) }));
  };
  const goDay = (day: number) => {
    scrollToDay(day);
    setCursor((state) =>
      state.carried
        ? state
        : { ...state, cell: { row: state.cell?.row ?? rows[0]?.key ?? 'house', day } },
    );
    setSpoken(t('chart.showing', { date: formatDate(fromNumber(day), businessDate) }));
    frame.current?.focus({ preventScroll: true });
  };

  const zoom = (direction: 1 | -1) => {
    const next = zoomed(columnPx, direction);
    if (next === columnPx) return;
    keepLeft();
    changePrefs({ columnPx: next });
    setSpoken(t('chart.zoomed', { px: next }));
  };

  const cells = useMemo(
    () => new ChartCells(data, rows, rowIndex, lanes, hotel),
    [data, rows, rowIndex, lanes, hotel],
  );

  // --- carrying: by keyboard and by pointer ------------------------------------------------------
  const { letGo } = useMoves(setSpoken);
  const dropAt = (stay: StayLine, key: string | undefined): boolean => {
    // Judged anew at this moment: somebody else may have taken the room while it was carried.
    const now = data.stay(stay.id) ?? stay;
    const where = cells.place(now, key);
    if (!where.legal) {
      setSpoken(
        t('chart.refused_done', {
          name: nameOf(now),
          why: refusalText(where.refusal, now, cells.room(key), hotel),
        }),
      );
      return false;
    }
    if (where.act !== 'nothing') letGo(now, where.act === 'unassign' ? undefined : cells.room(key));
    return true;
  };

  const drag = useDrag({
    frame,
    stayOf: (id) => data.stay(id),
    fast: (stay) => {
      const refusal = heldFast(stay, businessDate);
      return refusal
        ? refusalText(refusal, stay, cells.room(stay.room_id ?? undefined), hotel)
        : undefined;
    },
    rowAt: (clientX, clientY) => hit(clientX, clientY)?.row,
    textAt: (stay, row) => cells.text(stay, row),
    drop: dropAt,
    say: (text) => {
      line.set(text);
      setSpoken(text);
    },
    edge: { topPx: headPx, leftPx: labelPx },
  });

  const carriedStay = cursor.carried ? data.stay(cursor.carried.stayId) : undefined;
  const lifted = carriedStay ?? (drag.state ? data.stay(drag.state.stayId) : undefined);
  const liftedTarget = carriedStay ? cursor.cell?.row : drag.state?.target;
  // --- the keyboard ------------------------------------------------------------------------------
  const grid: CursorGrid = {
    rows: [
      'house',
      ...lanes.map((_, index) => `lane:${index}`),
      ...(lanes.length === 0 ? ['lane:0'] : []),
      ...rows.map((row) => row.key),
    ],
    places: new Set(['lane:0', ...rows.flatMap((row) => (row.kind === 'room' ? [row.key] : []))]),
    firstDay: origin,
    endDay: end,
    pageRows: Math.max(1, Math.floor(bodyViewPx / ROW_PX) - 1),
    pageDays: Math.max(1, Math.floor(gridViewPx / columnPx) - 1),
  };

  const show = (cell: Cell) => {
    const element = frame.current;
    if (!element) return;
    const column = cell.day - origin;
    element.scrollLeft = scrollInto(
      element.scrollLeft,
      gridViewPx,
      column * columnPx,
      (column + 1.5) * columnPx,
    );
    const index = rowIndex.get(cell.row);
    if (index !== undefined) {
      element.scrollTop = scrollInto(
        element.scrollTop,
        bodyViewPx,
        index * ROW_PX,
        (index + 1) * ROW_PX,
      );
    } else if (cell.row.startsWith('lane:')) {
      const lane = Number(cell.row.slice(5));
      setLaneTop((top) =>
        Math.min(
          laneMax,
          Math.max(0, lane < top ? lane : lane >= top + lanesShown ? lane - lanesShown + 1 : top),
        ),
      );
    }
    measure();
  };

  const act = (what: CursorAct) => {
    const next = moveCursor(cursor, what, grid);
    setCursor(next);
    if (next.cell) {
      show(next.cell);
      if (next.carried) {
        const stay = data.stay(next.carried.stayId);
        if (stay && next.cell.row !== cursor.cell?.row) setSpoken(cells.text(stay, next.cell.row));
      }
    }
  };

  const pickOrDrop = () => {
    const { cell, carried } = cursor;
    if (!cell) return;
    if (carried) {
      const stay = data.stay(carried.stayId);
      // Gone meanwhile (cancelled elsewhere): there is nothing left to carry.
      if (!stay) setCursor(moveCursor(cursor, { act: 'put_back' }, grid));
      else if (dropAt(stay, cell.row)) setCursor(moveCursor(cursor, { act: 'dropped' }, grid));
      return;
    }
    const stay = cells.stay(cell);
    if (!stay) {
      setSpoken(t('chart.nothing_to_pick'));
      return;
    }
    const refusal = heldFast(stay, businessDate);
    if (refusal) {
      setSpoken(refusalText(refusal, stay, cells.room(cell.row), hotel));
      line.set(refusalText(refusal, stay, cells.room(cell.row), hotel));
      return;
    }
    setCursor(moveCursor(cursor, { act: 'take', stayId: stay.id }, grid));
    setSpoken(t('chart.picked_up', { name: nameOf(stay), where: t('chart.keys_carrying') }));
  };

  const putBack = (): boolean => {
    if (drag.cancel()) return true;
    if (!cursor.carried) return false;
    const stay = data.stay(cursor.carried.stayId);
    const next = moveCursor(cursor, { act: 'put_back' }, grid);
    setCursor(next);
    if (next.cell) show(next.cell);
    setSpoken(t('chart.put_back', { name: stay ? nameOf(stay) : '' }));
    return true;
  };

  const toggleGroup = (key: string) =>
    changePrefs({
      closed: closed.has(key) ? prefs.closed.filter((one) => one !== key) : [...prefs.closed, key],
    });

  const open = (cell: Cell) => {
    const stay = cells.stay(cell);
    if (stay) {
      openPanel('reservation', stay.id);
      return;
    }
    const row = cells.row(cell.row);
    if (row?.kind === 'type' || row?.kind === 'floor') toggleGroup(row.key);
    else if (
      row?.kind === 'room' &&
      cell.day >= today &&
      !barOn(data.barsOf(row.room.id), fromNumber(cell.day))
    ) {
      navigate('new', [], { query: { from: fromNumber(cell.day), type: row.room.room_type_id } });
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== frame.current || event.altKey || event.metaKey) return;
    if (event.ctrlKey && event.key !== 'Home' && event.key !== 'End') return;
    switch (event.key) {
      case 'ArrowUp':
        act({ act: 'move', rows: -1, days: 0 });
        break;
      case 'ArrowDown':
        act({ act: 'move', rows: 1, days: 0 });
        break;
      case 'ArrowLeft':
      case 'ArrowRight':
        if (cursor.carried) setSpoken(t('chart.dates_stay'));
        else act({ act: 'move', rows: 0, days: event.key === 'ArrowLeft' ? -1 : 1 });
        break;
      case 'PageUp':
      case 'PageDown':
        act({
          act: 'page',
          rows: event.shiftKey ? 0 : event.key === 'PageUp' ? -1 : 1,
          days: event.shiftKey ? (event.key === 'PageUp' ? -1 : 1) : 0,
        });
        break;
      case 'Home':
        act({ act: 'edge', to: event.ctrlKey ? 'first_row' : 'row_start', today });
        break;
      case 'End':
        act({ act: 'edge', to: event.ctrlKey ? 'last_row' : 'row_end', today });
        break;
      case ' ':
        pickOrDrop();
        break;
      case 'Enter':
        if (cursor.carried) pickOrDrop();
        else if (cursor.cell) open(cursor.cell);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  useHotkey('back', putBack);
  useHotkey('chart_today', goToday);
  useHotkey('chart_month_forward', () => goMonth(1));
  useHotkey('chart_month_back', () => goMonth(-1));
  useHotkey('chart_zoom_in', () => zoom(1));
  useHotkey('chart_zoom_out', () => zoom(-1));
  useHotkey('chart_group', () =>
    changePrefs({ grouping: prefs.grouping === 'type' ? 'floor' : 'type' }),
  );

  // The bar of controls is not drawn again while the chart scrolls.
  const acts = useRef({ zoom, goMonth, goToday, goDay });
  useEffect(() => {
    acts.current = { zoom, goMonth, goToday, goDay };
  });
  const toolbar = useMemo(
    () => ({
      onGrouping: (grouping: Grouping) => changePrefs({ grouping }),
      onZoom: (direction: 1 | -1) => acts.current.zoom(direction),
      onMonth: (direction: 1 | -1) => acts.current.goMonth(direction),
      onToday: () => acts.current.goToday(),
      onDay: (day: number) => acts.current.goDay(day),
    }),
    [changePrefs],
  );

  // --- the pointer -------------------------------------------------------------------------------
  const headKeys = [
    'house',
    ...Array.from({ length: lanesShown }, (_, index) => `lane:${laneFrom + index}`),
  ];
  /** The cell under the pointer. */
  const hit = (clientX: number, clientY: number): (Cell & { label: boolean }) | undefined => {
    const element = frame.current;
    if (!element) return undefined;
    const box = element.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top;
    if (x < 0 || y < DATES_PX || x > element.clientWidth || y > element.clientHeight)
      return undefined;
    const row =
      y < headPx
        ? headKeys[Math.floor((y - DATES_PX) / ROW_PX)]
        : rows[Math.floor((y - headPx + element.scrollTop) / ROW_PX)]?.key;
    if (row === undefined) return undefined;
    const across = (x - labelPx + element.scrollLeft) / columnPx;
    return { row, day: origin + Math.floor(across - noonOf(row)), label: x < labelPx };
  };

  const onPointerMove = (event: PointerEvent) => {
    if (drag.move(event)) return;
    if (event.pointerType === 'touch') return;
    const bar = (event.target as Element).closest?.('[data-bar]');
    const id = bar?.getAttribute('data-bar');
    const found = id === null || id === undefined ? undefined : data.bar(id);
    if (found) line.set(barFacts(found, data.room(found.room_id), hotel).join(' · '));
    else if (bar) {
      const stay = data.stay(bar.getAttribute('data-stay') ?? '');
      line.set(stay ? stayFacts(stay, hotel).join(' · ') : '');
    } else {
      const cell = hit(event.clientX, event.clientY);
      line.set(cell && !cell.label ? cells.facts(cell) : '');
    }
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const cell = hit(event.clientX, event.clientY);
    if (!cell) return;
    const stayId =
      (event.target as Element).closest('[data-stay]')?.getAttribute('data-stay') ?? undefined;
    const stay = stayId === undefined ? undefined : data.stay(stayId);
    // The bar pressed is the one meant, also on the half day that it shares with another.
    const day = stay
      ? Math.max(toNumber(stay.check_in), Math.min(cell.day, toNumber(stay.check_out) - 1))
      : cell.day;
    if (cell.label) {
      const row = cells.row(cell.row);
      if (row && row.kind !== 'room') toggleGroup(row.key);
    } else
      setCursor((state) => (state.carried ? state : { ...state, cell: { row: cell.row, day } }));
    if (stay) drag.press(event, stay);
  };

  const onDoubleClick = (event: { target: EventTarget; clientX: number; clientY: number }) => {
    const stayId = (event.target as Element).closest('[data-stay]')?.getAttribute('data-stay');
    if (stayId) openPanel('reservation', stayId);
    else {
      const cell = hit(event.clientX, event.clientY);
      if (cell && !cell.label && cells.row(cell.row)?.kind === 'room') open(cell);
    }
  };

  // --- the cursor's own words ----------------------------------------------------------------------
  const cell = cursor.cell;
  const cellText = cell
    ? carriedStay
      ? cells.text(carriedStay, cell.row)
      : cells.facts(cell)
    : '';
  useEffect(() => {
    if (focused) line.set(cellText);
  }, [cellText, focused, line]);

  const drawn: Drawn = {
    origin,
    columnPx,
    columns,
    businessDate,
    timeZone: hotel.time_zone,
    lifted: lifted?.id,
  };
  if (problem && data.rooms.length === 0)
    return <ProblemNote problem={problem} about={t('chart.title')} />;
  const headRows = 1 + Math.max(1, lanes.length);
  return (
    <div className={styles.place}>
      <Toolbar
        businessDate={businessDate}
        first={origin}
        last={end}
        grouping={prefs.grouping}
        {...toolbar}
      />
      <div
        ref={frame}
        className={styles.frame}
        role="grid"
        tabIndex={0}
        data-autofocus
        data-testid="tape-chart"
        data-dragging={drag.state ? true : undefined}
        aria-label={t('chart.label')}
        aria-busy={waiting}
        aria-rowcount={1 + headRows + rows.length}
        aria-colcount={columnCount + 1}
        aria-activedescendant={cell ? 'chart-cursor' : undefined}
        style={{ '--label': `${labelPx}px`, '--column': `${columnPx}px` } as React.CSSProperties}
        onScroll={measure}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setFocused(true);
          setCursor((state) =>
            state.cell ? state : { ...state, cell: { row: 'lane:0', day: today } },
          );
        }}
        onBlur={() => setFocused(false)}
        onPointerMove={onPointerMove}
        onPointerDown={onPointerDown}
        onPointerUp={drag.release}
        onPointerCancel={() => drag.cancel()}
        onPointerLeave={() => line.set(focused ? cellText : '')}
        onDoubleClick={onDoubleClick}
      >
        <div
          className={styles.content}
          role="presentation"
          style={{
            width: labelPx + columnCount * columnPx,
            height: headPx + rows.length * ROW_PX,
          }}
        >
          <ChartHead
            drawn={drawn}
            data={data}
            today={today}
            lanes={{ all: lanes, from: laneFrom, shown: lanesShown, max: laneMax, arriving }}
            onLanes={setLaneTop}
            keys={headKeys}
            cell={cell}
            cellText={cellText}
            focused={focused}
            target={lifted ? liftedTarget : undefined}
            waiting={waiting}
          />
          <ChartBody
            drawn={drawn}
            data={data}
            cells={cells}
            today={today}
            labelPx={labelPx}
            grouping={prefs.grouping}
            closed={closed}
            rows={rows}
            rowIndex={rowIndex}
            mounted={sight.rows}
            rowsAbove={1 + headRows}
            lifted={lifted}
            target={liftedTarget}
            carried={carriedStay}
            cell={cell}
            cellText={cellText}
            focused={focused}
          />
        </div>
        {data.rooms.length === 0 && !waiting ? (
          <Empty title={t('chart.no_rooms')}>{t('chart.no_rooms_how')}</Empty>
        ) : null}
      </div>
      <FactBar line={line} carrying={carriedStay !== undefined} waiting={waiting} />
      <div className="visually-hidden" aria-live="polite" role="status" data-testid="chart-spoken">
        {spoken}
      </div>
      {drag.ghost}
    </div>
  );
}
