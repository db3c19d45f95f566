import {
  useEffect,
  useRef,
  useState,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { StayLine } from '../../generated/StayLine';
import { nameOf } from './words';
import styles from './chart.module.css';

/** So far the pointer must go before a press is a drag. */
const THRESHOLD_PX = 4;
/** Within so much of an edge the chart scrolls by itself, once the pointer has rested there so long: */
const EDGE_PX = 20;
/** who only passes, or drops on the first row, finds it where it was. */
const EDGE_REST_MS = 350;
const EDGE_STEP_PX = 8;

export interface DragState {
  stayId: string;
  /** The row under the pointer. */
  target: string | undefined;
}

interface DragPorts {
  frame: RefObject<HTMLDivElement | null>;
  stayOf: (id: string) => StayLine | undefined;
  /** Why it cannot be taken up, in words. */
  fast: (stay: StayLine) => string | undefined;
  rowAt: (clientX: number, clientY: number) => string | undefined;
  textAt: (stay: StayLine, row: string | undefined) => string;
  drop: (stay: StayLine, row: string | undefined) => void;
  say: (text: string) => void;
  /** The parts of the frame that do not scroll. */
  edge: { topPx: number; leftPx: number };
}

interface Press {
  stayId: string;
  pointerId: number;
  startX: number;
  startY: number;
  dragging: boolean;
  refused: boolean;
  x: number;
  y: number;
}

/** Dragging a bar with the pointer: what follows the pointer is moved without React. */
export function useDrag(ports: DragPorts): {
  state: DragState | undefined;
  press(event: PointerEvent, stay: StayLine): void;
  move(event: PointerEvent): boolean;
  release(event: PointerEvent): void;
  cancel(): boolean;
  ghost: ReactNode;
} {
  const latest = useRef(ports);
  useEffect(() => {
    latest.current = ports;
  });
  const press = useRef<Press | undefined>(undefined);
  const ghost = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<DragState | undefined>(undefined);

  const follow = (now: Press) => {
    if (ghost.current)
      ghost.current.style.transform = `translate(${now.x + 12}px, ${now.y + 10}px)`;
    const target = latest.current.rowAt(now.x, now.y);
    setState((before) =>
      before && before.stayId === now.stayId && before.target === target
        ? before
        : { stayId: now.stayId, target },
    );
  };

  useEffect(() => {
    if (!state) return;
    let frame = 0;
    let since: number | undefined;
    const turn = () => {
      const now = press.current;
      const element = latest.current.frame.current;
      if (now && element) {
        const box = element.getBoundingClientRect();
        const { topPx, leftPx } = latest.current.edge;
        const down = now.y > box.bottom - EDGE_PX ? 1 : 0;
        // Above the rooms are the lanes, where a drop takes the room away: scroll only just below them.
        const up = now.y > box.top + topPx && now.y < box.top + topPx + EDGE_PX ? 1 : 0;
        const right = now.x > box.right - EDGE_PX ? 1 : 0;
        const left = now.x < box.left + leftPx + EDGE_PX && now.x > box.left + leftPx ? 1 : 0;
        if (!down && !up && !right && !left) since = undefined;
        else since ??= performance.now();
        const rested = since !== undefined && performance.now() - since > EDGE_REST_MS;
        if (!rested) {
          frame = requestAnimationFrame(turn);
          return;
        }
        if (down !== up) element.scrollTop += (down - up) * EDGE_STEP_PX;
        if (right !== left) element.scrollLeft += (right - left) * EDGE_STEP_PX;
        follow(now);
      }
      frame = requestAnimationFrame(turn);
    };
    frame = requestAnimationFrame(turn);
    return () => cancelAnimationFrame(frame);
    // The target changes while it scrolls; the scrolling itself goes on.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [state === undefined]);

  const end = () => {
    const now = press.current;
    press.current = undefined;
    if (now?.dragging) {
      latest.current.frame.current?.releasePointerCapture?.(now.pointerId);
      setState(undefined);
    }
    return now;
  };

  const stay = state ? ports.stayOf(state.stayId) : undefined;
  return {
    state,
    press(event, pressed) {
      press.current = {
        stayId: pressed.id,
        pointerId: event.pointerId,
        startX: event.clientX,
        startY: event.clientY,
        dragging: false,
        refused: false,
        x: event.clientX,
        y: event.clientY,
      };
    },
    move(event) {
      const now = press.current;
      if (!now || now.pointerId !== event.pointerId) return false;
      if (event.buttons === 0) {
        end();
        return false;
      }
      now.x = event.clientX;
      now.y = event.clientY;
      if (!now.dragging) {
        if (Math.hypot(now.x - now.startX, now.y - now.startY) < THRESHOLD_PX || now.refused)
          return now.refused;
        const picked = latest.current.stayOf(now.stayId);
        const why = picked ? latest.current.fast(picked) : '';
        if (why !== undefined) {
          now.refused = true;
          latest.current.say(why);
          return true;
        }
        now.dragging = true;
        latest.current.frame.current?.setPointerCapture?.(now.pointerId);
      }
      follow(now);
      return true;
    },
    release(event) {
      const now = end();
      if (!now?.dragging) return;
      const dropped = latest.current.stayOf(now.stayId);
      if (dropped) latest.current.drop(dropped, latest.current.rowAt(event.clientX, event.clientY));
    },
    cancel() {
      return end()?.dragging ?? false;
    },
    ghost:
      state && stay ? (
        <div
          className={styles.ghost}
          ref={ghost}
          aria-hidden="true"
          data-testid="chart-ghost"
          style={start(press.current)}
        >
          <b>{nameOf(stay)}</b>
          <span>{ports.textAt(stay, state.target)}</span>
        </div>
      ) : null,
  };
}

function start(press: Press | undefined) {
  return press ? { transform: `translate(${press.x + 12}px, ${press.y + 10}px)` } : undefined;
}
