import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
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
import { barOn, HOUSE_ID } from './chart-data';
import { type Cell, type CursorAct, type CursorGrid, type CursorState, moveCursor } from './cursor';
import { DateHead, months } from './DateHead';
import { barSpan, mountedRange, type Range, ROW_PX, scrollInto, zoomed } from './geometry';
import { type Lanes, stack } from './lanes';
import { heldFast, place, type Place, type Target } from './legality';
import { FactLine } from './line';
import { loadPrefs, savePrefs } from './prefs';
import { type Drawn, LaneRowView, LimitRowView, type Mark, RoomRowView } from './Row';
import { type ChartRow, chartRows, type Grouping } from './rows';
import { Toolbar } from './Toolbar';
import { useChartData } from './useChartData';
import { useDrag } from './useDrag';
import { useMoves } from './useMoves';
import { barFacts, nameOf, placeText, positionFacts, refusalText, stayFacts } from './words';
import styles from './chart.module.css';

/** Width of the first column; by floor it also says each room's type. */
const LABEL_PX = { type: 148, floor: 176 } as const;
const DATES_PX = 48;
/** The copy reaches so far back (design section 6). */
const DAYS_BACK = 30;
/** Days in sight before today when the chart opens. */
const DAYS_BEFORE = 2;
const ROWS_AHEAD = 3;
const COLUMNS_AHEAD = 3;

/** Where the clerk was looking, kept while another place is open. */
let remembered: { leftPx: number; topPx: number; origin: number; columnPx: number } | undefined;

interface View {
  widthPx: number;
  heightPx: number;
}

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
  const [view, setView] = useState<View>({ widthPx: 0, heightPx: 0 });
  const [columns, setColumns] = useState<Range>({ start: 0, end: 0 });
  const [rowRange, setRowRange] = useState<Range>({ start: 0, end: 0 });
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
  const lanesShown = Math.min(6, Math.max(2, Math.floor((view.heightPx * 0.15) / ROW_PX)));
  const laneMax = Math.max(0, lanes.length - lanesShown);
  const laneFrom = Math.min(laneTop, laneMax);
  const headPx = DATES_PX + ROW_PX * (1 + lanesShown);
  const bodyViewPx = Math.max(ROW_PX, view.heightPx - headPx);
  const gridViewPx = Math.max(columnPx, view.widthPx - labelPx);

  // --- scrolling -------------------------------------------------------------------------------
  const measure = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    const nextColumns = mountedRange(
      element.scrollLeft,
      Math.max(0, element.clientWidth - labelPx),
      columnPx,
      columnCount,
      COLUMNS_AHEAD,
    );
    const nextRows = mountedRange(
      element.scrollTop,
      Math.max(0, element.clientHeight - headPx),
      ROW_PX,
      rows.length,
      ROWS_AHEAD,
    );
    setColumns((before) => sameRange(before, nextColumns));
    setRowRange((before) => sameRange(before, nextRows));
    remembered = { leftPx: element.scrollLeft, topPx: element.scrollTop, origin, columnPx };
  }, [columnPx, columnCount, headPx, rows.length, origin, labelPx]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      setView({ widthPx: element.clientWidth, heightPx: element.clientHeight });
    });
    setView({ widthPx: element.clientWidth, heightPx: element.clientHeight });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The place was mounted before this code had arrived: nothing in it could take the focus then.
  useEffect(() => {
    const active = document.activeElement;
    if (!active || active === document.body || active.matches('main')) {
      frame.current?.focus({ preventScroll: true });
    }
  }, []);

  const scrolled = useRef(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || view.widthPx === 0) return;
    if (!scrolled.current) {
      scrolled.current = true;
      const kept =
        remembered?.origin === origin && remembered.columnPx === columnPx ? remembered : undefined;
      element.scrollLeft = kept?.leftPx ?? (today - DAYS_BEFORE - origin) * columnPx;
      element.scrollTop = kept?.topPx ?? 0;
    }
    measure();
  }, [view, measure, origin, today, columnPx]);

  const scrollTo = useCallback(
    (day: number) => {
      const element = frame.current;
      if (!element) return;
      element.scrollLeft = Math.max(0, (day - origin) * columnPx);
      measure();
    },
    [origin, columnPx, measure],
  );

  const leftDay = (): number => origin + Math.ceil((frame.current?.scrollLeft ?? 0) / columnPx);
  const goToday = () => {
    scrollTo(today - DAYS_BEFORE);
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
    scrollTo(shown);
    setCursor((state) =>
      state.carried || !state.cell
        ? state
        : { ...state, cell: { row: state.cell.row, day: shown } },
    );
    setSpoken(t('chart.showing', { date: formatDate(fromNumber(shown), businessDate) }));
  };
  const goDay = (day: number) => {
    scrollTo(day);
    setCursor((state) =>
      state.carried
        ? state
        : { ...state, cell: { row: state.cell?.row ?? rows[0]?.key ?? 'house', day } },
    );
    setSpoken(t('chart.showing', { date: formatDate(fromNumber(day), businessDate) }));
    frame.current?.focus({ preventScroll: true });
  };

  const keepDay = useRef<number | undefined>(undefined);
  const zoom = (direction: 1 | -1) => {
    const next = zoomed(columnPx, direction);
    if (next === columnPx) return;
    // The day at the left edge stays there.
    keepDay.current = (frame.current?.scrollLeft ?? 0) / columnPx;
    changePrefs({ columnPx: next });
    setSpoken(t('chart.zoomed', { px: next }));
  };
  useLayoutEffect(() => {
    if (keepDay.current === undefined || !frame.current) return;
    frame.current.scrollLeft = keepDay.current * columnPx;
    keepDay.current = undefined;
    measure();
  }, [columnPx, measure]);

  // --- what is under a row and a day -----------------------------------------------------------
  const rowOf = (key: string): ChartRow | undefined => rows[rowIndex.get(key) ?? -1];
  const laneStays = (key: string): readonly StayLine[] => {
    return lanes[Number(key.slice('lane:'.length))] ?? NO_STAYS;
  };
  const stayAt = (cell: Cell): StayLine | undefined => {
    const day = fromNumber(cell.day);
    if (isLane(cell.row)) {
      return laneStays(cell.row).find(
        (stay) =>
          stay.check_in <= day &&
          (day < stay.check_out || (stay.check_in === day && stay.check_out === day)),
      );
    }
    return barOn(data.barsOf(cell.row), day)?.stay ?? undefined;
  };
  const factsAt = (cell: Cell): string => {
    const day = fromNumber(cell.day);
    const stay = stayAt(cell);
    if (stay) return stayFacts(stay, hotel).join(' · ');
    const date = formatDate(day, businessDate);
    if (isLane(cell.row)) {
      const name = t('chart.unassigned');
      return [name, date, t('chart.cell_nobody')].join(' · ');
    }
    if (cell.row === 'house') return positionText(HOUSE_ID, t('common.house'), cell.day);
    const row = rowOf(cell.row);
    if (!row) return '';
    if (row.kind === 'type') return positionText(row.type.id, row.type.name, cell.day);
    if (row.kind === 'floor')
      return [t('chart.floor', { floor: row.floor }), t('chart.rooms', { count: row.rooms })].join(
        ' · ',
      );
    const bar = barOn(data.barsOf(row.room.id), day);
    if (bar) return barFacts(bar, row.room, hotel).join(' · ');
    return [
      t('chart.room_type', { room: row.room.number, type: row.type?.code ?? '' }),
      date,
      t('chart.cell_free'),
      ...(cell.day === today ? [t(`room_status.${row.room.status}`)] : []),
    ].join(' · ');
  };
  const positionText = (typeId: string, name: string, day: number): string => {
    const cell = data.cell(typeId, day);
    return cell
      ? positionFacts(cell, name, hotel).join(' · ')
      : [name, formatDate(fromNumber(day), businessDate)].join(' · ');
  };

  // --- carrying: by keyboard and by pointer ------------------------------------------------------
  const targetOf = (key: string | undefined): Target => {
    if (key === undefined) return { kind: 'elsewhere' };
    if (isLane(key)) return { kind: 'unassigned' };
    const row = rowOf(key);
    return row?.kind === 'room' ? { kind: 'room', room: row.room } : { kind: 'elsewhere' };
  };
  const barsOf = (roomId: string) => data.barsOf(roomId);
  const placeAt = (stay: StayLine, key: string | undefined): Place =>
    place(stay, targetOf(key), barsOf, businessDate);
  const roomAt = (key: string | undefined) => {
    const row = key === undefined ? undefined : rowOf(key);
    return row?.kind === 'room' ? row.room : undefined;
  };
  const textAt = (stay: StayLine, key: string | undefined): string =>
    placeText(placeAt(stay, key), stay, roomAt(key), hotel);

  const { letGo } = useMoves(setSpoken);
  const dropAt = (stay: StayLine, key: string | undefined): boolean => {
    // Judged anew at this moment: somebody else may have taken the room while it was carried.
    const now = data.stay(stay.id) ?? stay;
    const where = placeAt(now, key);
    if (!where.legal) {
      setSpoken(
        t('chart.refused_done', {
          name: nameOf(now),
          why: refusalText(where.refusal, now, roomAt(key), hotel),
        }),
      );
      return false;
    }
    if (where.act !== 'nothing') letGo(now, where.act === 'unassign' ? undefined : roomAt(key));
    return true;
  };

  const drag = useDrag({
    frame,
    stayOf: (id) => data.stay(id),
    fast: (stay) => {
      const refusal = heldFast(stay, businessDate);
      return refusal
        ? refusalText(refusal, stay, roomAt(stay.room_id ?? undefined), hotel)
        : undefined;
    },
    rowAt: (clientX, clientY) => hit(clientX, clientY)?.row,
    textAt,
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
  const marks = useMemo(() => {
    const found = new Map<string, Place>();
    if (!lifted) return found;
    for (const row of rows) {
      if (row.kind !== 'room') continue;
      found.set(
        row.key,
        place(lifted, { kind: 'room', room: row.room }, (id) => data.barsOf(id), businessDate),
      );
    }
    return found;
  }, [lifted, rows, data, businessDate]);
  const markOf = (key: string): Mark => {
    if (!lifted) return undefined;
    const where = marks.get(key);
    if (key === liftedTarget) return where?.legal ? 'target' : 'refused';
    return where?.legal && where.act !== 'nothing' ? 'legal' : undefined;
  };

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
        if (stay && next.cell.row !== cursor.cell?.row) setSpoken(textAt(stay, next.cell.row));
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
    const stay = stayAt(cell);
    if (!stay) {
      setSpoken(t('chart.nothing_to_pick'));
      return;
    }
    const refusal = heldFast(stay, businessDate);
    if (refusal) {
      setSpoken(refusalText(refusal, stay, roomAt(cell.row), hotel));
      line.set(refusalText(refusal, stay, roomAt(cell.row), hotel));
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
    const stay = stayAt(cell);
    if (stay) {
      openPanel('reservation', stay.id);
      return;
    }
    const row = rowOf(cell.row);
    if (row?.kind === 'type' || row?.kind === 'floor') toggleGroup(row.key);
    else if (
      row?.kind === 'room' &&
      cell.day >= today &&
      !barOn(barsOf(row.room.id), fromNumber(cell.day))
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
    // A night of a room begins at noon; the limits of a night stand in its day's own column.
    const noon = row === 'house' || row.startsWith('type:') || row.startsWith('floor:') ? 0 : 0.5;
    return { row, day: origin + Math.floor(across - noon), label: x < labelPx };
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
      line.set(cell && !cell.label ? factsAt(cell) : '');
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
      const row = rowOf(cell.row);
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
      if (cell && !cell.label && rowOf(cell.row)?.kind === 'room') open(cell);
    }
  };

  const turnLanes = (direction: 1 | -1) =>
    setLaneTop(Math.max(0, Math.min(laneMax, laneFrom + direction * lanesShown)));

  // The wheel over the lanes turns the lanes. React's own wheel handler is passive and cannot.
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = head.current;
    if (!element || laneMax === 0) return;
    let turned = 0;
    const onWheel = (event: WheelEvent) => {
      // While a bar is dragged the wheel is for the rooms, wherever the pointer is.
      if (element.closest('[data-dragging]')) return;
      if (event.shiftKey || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        return;
      event.preventDefault();
      turned += event.deltaMode === 0 ? event.deltaY : event.deltaY * ROW_PX;
      const lines = Math.trunc(turned / ROW_PX);
      if (lines === 0) return;
      turned -= lines * ROW_PX;
      setLaneTop((top) => Math.min(laneMax, Math.max(0, Math.min(top, laneMax) + lines)));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [laneMax]);

  // --- the cursor's own words ----------------------------------------------------------------------
  const cell = cursor.cell;
  const cellText = cell ? (carriedStay ? textAt(carriedStay, cell.row) : factsAt(cell)) : '';
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
  const outOfOrderNow = useMemo(() => {
    const found = new Set<string>();
    for (const bar of data.outOfOrder()) {
      if (bar.from <= businessDate && businessDate < bar.until) found.add(bar.room_id);
    }
    return found;
  }, [data, businessDate]);

  if (problem && data.rooms.length === 0)
    return <ProblemNote problem={problem} about={t('chart.title')} />;
  const turn = laneMax > 0 ? { from: laneFrom, max: laneMax, by: turnLanes } : undefined;
  const headRows = 1 + Math.max(1, lanes.length);
  const bodyTop = (index: number) => index * ROW_PX;
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
          <div className={styles.head} role="presentation" ref={head} style={{ height: headPx }}>
            <DateHead origin={origin} columnPx={columnPx} columns={columns} businessDay={today} />
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
            {Array.from({ length: lanesShown }, (_, index) => {
              const lane = laneFrom + index;
              return (
                <LaneRowView
                  key={`lane:${lane}`}
                  {...drawn}
                  stays={lanes[lane] ?? NO_STAYS}
                  label={index === 0 ? t('chart.unassigned') : undefined}
                  note={
                    index === 0 && arriving > 0
                      ? t('chart.arriving', { count: arriving })
                      : undefined
                  }
                  target={
                    lifted !== undefined &&
                    liftedTarget !== undefined &&
                    liftedTarget === `lane:${lane}`
                  }
                  name={t('chart.unassigned')}
                  turn={index === 1 ? turn : undefined}
                  top={DATES_PX + ROW_PX * (1 + index)}
                  index={3 + lane}
                />
              );
            })}
            {lanes.length === 0 && !waiting ? (
              <p className={styles.nobody}>{t('chart.nobody_unassigned')}</p>
            ) : null}
            {cell && headKeys.includes(cell.row) ? (
              <CursorCell
                cell={cell}
                top={DATES_PX + ROW_PX * headKeys.indexOf(cell.row)}
                text={cellText}
                origin={origin}
                columnPx={columnPx}
                focused={focused}
              />
            ) : null}
          </div>
          <div
            className={styles.body}
            role="presentation"
            style={{ height: rows.length * ROW_PX, ...weekend(origin, columnPx, labelPx) }}
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
              style={{ left: (today - origin) * columnPx, width: columnPx }}
            />
            {rows.slice(rowRange.start, rowRange.end).map((row, offset) => {
              const index = rowRange.start + offset;
              const aria = 2 + headRows + index;
              if (row.kind === 'room') {
                return (
                  <RoomRowView
                    key={row.key}
                    {...drawn}
                    room={row.room}
                    typeCode={prefs.grouping === 'floor' ? row.type?.code : undefined}
                    bars={data.barsOf(row.key)}
                    top={bodyTop(index)}
                    index={aria}
                    outOfOrder={outOfOrderNow.has(row.key)}
                    mark={markOf(row.key)}
                    markFrom={lifted?.check_in}
                    markUntil={lifted?.check_out}
                  />
                );
              }
              return (
                <LimitRowView
                  key={row.key}
                  {...drawn}
                  label={
                    row.kind === 'type' ? row.type.code : t('chart.floor', { floor: row.floor })
                  }
                  name={
                    row.kind === 'type' ? row.type.name : t('chart.rooms', { count: row.rooms })
                  }
                  kind={row.kind}
                  open={!closed.has(row.key)}
                  typeId={row.kind === 'type' ? row.type.id : undefined}
                  data={data}
                  top={bodyTop(index)}
                  index={aria}
                />
              );
            })}
            {cell && rowIndex.has(cell.row) ? (
              <CursorCell
                cell={cell}
                top={bodyTop(rowIndex.get(cell.row) ?? 0)}
                text={cellText}
                origin={origin}
                columnPx={columnPx}
                focused={focused}
                carried={carriedStay}
                refused={carriedStay ? !placeAt(carriedStay, cell.row).legal : false}
              />
            ) : null}
          </div>
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

const NO_STAYS: readonly StayLine[] = [];

function isLane(key: string): boolean {
  return key.startsWith('lane:');
}

function sameRange(before: Range, now: Range): Range {
  return before.start === now.start && before.end === now.end ? before : now;
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
function CursorCell({
  cell,
  top,
  text,
  origin,
  columnPx,
  focused,
  carried,
  refused,
}: CursorCellProps) {
  const noon =
    cell.row === 'house' || cell.row.startsWith('type:') || cell.row.startsWith('floor:') ? 0 : 0.5;
  const span = carried
    ? barSpan(carried.check_in, carried.check_out, origin, columnPx)
    : { leftPx: (cell.day - origin + noon) * columnPx, widthPx: columnPx };
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

function FactBar({
  line,
  carrying,
  waiting,
}: {
  line: FactLine;
  carrying: boolean;
  waiting: boolean;
}) {
  const text = useSyncExternalStore(line.subscribe, line.get);
  return (
    <div className={styles.facts} data-testid="chart-facts">
      <span className={styles.fact}>{text === '' && waiting ? t('chart.loading') : text}</span>
      <span className={styles.keys} data-carrying={carrying || undefined}>
        {carrying ? t('chart.keys_carrying') : t('chart.keys')}
      </span>
    </div>
  );
}
