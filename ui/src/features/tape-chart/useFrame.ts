import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';
import { mountedRange, type Range, ROW_PX } from './geometry';

/** Days in sight before today when the chart opens. */
export const DAYS_BEFORE = 2;
const ROWS_AHEAD = 3;
const COLUMNS_AHEAD = 3;

/** The size of what is in sight, and what is mounted of it. */
export interface Sight {
  widthPx: number;
  heightPx: number;
  columns: Range;
  rows: Range;
}

export const NO_SIGHT: Sight = {
  widthPx: 0,
  heightPx: 0,
  columns: { start: 0, end: 0 },
  rows: { start: 0, end: 0 },
};

/** Where the clerk was looking, kept while another place is open. */
let remembered: { leftPx: number; topPx: number; origin: number; columnPx: number } | undefined;

interface FrameFacts {
  frame: RefObject<HTMLDivElement | null>;
  sight: Sight;
  onSight: (change: (before: Sight) => Sight) => void;
  origin: number;
  today: number;
  columnPx: number;
  columnCount: number;
  rowCount: number;
  /** The parts that do not scroll. */
  labelPx: number;
  headPx: number;
}

/** The frame that scrolls: measured after each scroll, and only what has changed is drawn. */
export function useFrame(facts: FrameFacts): {
  measure(): void;
  scrollToDay(day: number): void;
  /** The next width of the columns keeps the day that is at the left edge now. */
  keepLeft(): void;
} {
  const { frame, sight, onSight, origin, today, columnPx, columnCount, rowCount } = facts;
  const { labelPx, headPx } = facts;

  const measure = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    const columns = mountedRange(
      scrollLeft,
      Math.max(0, clientWidth - labelPx),
      columnPx,
      columnCount,
      COLUMNS_AHEAD,
    );
    const rows = mountedRange(
      scrollTop,
      Math.max(0, clientHeight - headPx),
      ROW_PX,
      rowCount,
      ROWS_AHEAD,
    );
    onSight((before) =>
      sameRange(before.columns, columns) && sameRange(before.rows, rows)
        ? before
        : { ...before, columns, rows },
    );
    remembered = { leftPx: scrollLeft, topPx: scrollTop, origin, columnPx };
  }, [frame, onSight, columnPx, columnCount, headPx, rowCount, origin, labelPx]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const size = () => {
      const { clientWidth: widthPx, clientHeight: heightPx } = element;
      onSight((before) => ({ ...before, widthPx, heightPx }));
    };
    const observer = new ResizeObserver(size);
    size();
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, onSight]);

  // The place was mounted before this code had arrived: nothing in it could take the focus then.
  useEffect(() => {
    const active = document.activeElement;
    if (!active || active === document.body || active.matches('main')) {
      frame.current?.focus({ preventScroll: true });
    }
  }, [frame]);

  const begun = useRef(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element || sight.widthPx === 0) return;
    if (!begun.current) {
      begun.current = true;
      const same = remembered?.origin === origin && remembered.columnPx === columnPx;
      const kept = same ? remembered : undefined;
      element.scrollLeft = kept?.leftPx ?? (today - DAYS_BEFORE - origin) * columnPx;
      element.scrollTop = kept?.topPx ?? 0;
    }
    measure();
  }, [frame, sight.widthPx, sight.heightPx, measure, origin, today, columnPx]);

  const leftDay = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (leftDay.current === undefined || !frame.current) return;
    frame.current.scrollLeft = leftDay.current * columnPx;
    leftDay.current = undefined;
    measure();
  }, [frame, columnPx, measure]);

  return {
    measure,
    scrollToDay(day) {
      if (!frame.current) return;
      frame.current.scrollLeft = Math.max(0, (day - origin) * columnPx);
      measure();
    },
    keepLeft() {
      leftDay.current = (frame.current?.scrollLeft ?? 0) / columnPx;
    },
  };
}

function sameRange(left: Range, right: Range): boolean {
  return left.start === right.start && left.end === right.end;
}
