import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react';
import styles from './List.module.css';

export interface ListHandle {
  focus(): void;
  /** Lets another control (a filter) steer the list; true when the key was one of the list's. */
  handleKey(event: KeyboardEvent): boolean;
}

export interface ListProps<T> {
  items: readonly T[];
  idOf: (item: T) => string;
  /** What a reader of the screen calls it. */
  label: string;
  row: (item: T, place: { cursor: boolean }) => ReactNode;
  cursor: string | null;
  onCursor: (id: string) => void;
  /** Enter, or a double click: the natural next step. */
  onOpen?: (item: T) => void;
  /** A letter typed while the list has the focus: the beginning of a filter. */
  onType?: (event: KeyboardEvent) => void;
  empty: ReactNode;
  rowHeight?: number;
  /** As high as this where there is room, instead of all the room there is. */
  height?: number;
  testIdOf?: (item: T) => string;
  handle?: Ref<ListHandle>;
  className?: string | undefined;
  /** Handlers of the pointer in the list, for holding rows still under it. */
  pointer?: { onPointerMove: () => void; onPointerDown: () => void; onPointerLeave: () => void };
  'data-testid'?: string;
}

const PAGE = 10;

/**
 * A list with one cursor, kept by identity. The list itself holds the focus and names the row at the
 * cursor, so that the focus is not lost when a row goes away, and only rows in sight are mounted.
 */
export function List<T>(props: ListProps<T>) {
  const { items, idOf, cursor, onCursor, onOpen, rowHeight = 28 } = props;
  const frame = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : idOf(item);
    },
  });
  const at = items.findIndex((item) => idOf(item) === cursor);

  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
    // Only the cursor's own moves scroll; a sync that shifts rows does not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [cursor]);

  const moveTo = useCallback(
    (index: number) => {
      const item = items[Math.max(0, Math.min(items.length - 1, index))];
      if (item !== undefined) onCursor(idOf(item));
    },
    [items, idOf, onCursor],
  );

  const handleKey = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    switch (event.key) {
      case 'ArrowDown':
        moveTo(at + 1);
        break;
      case 'ArrowUp':
        moveTo(at < 0 ? 0 : at - 1);
        break;
      case 'PageDown':
        moveTo(at + PAGE);
        break;
      case 'PageUp':
        moveTo(at - PAGE);
        break;
      case 'Home':
        moveTo(0);
        break;
      case 'End':
        moveTo(items.length - 1);
        break;
      case 'Enter': {
        const item = items[at];
        if (item === undefined || !onOpen) return false;
        onOpen(item);
        break;
      }
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };

  useImperativeHandle(props.handle, () => ({
    focus: () => frame.current?.focus({ preventScroll: true }),
    handleKey,
  }));

  const rowId = (item: T) => `${prefix}-${idOf(item)}`;
  const current = items[at];
  return (
    <div
      ref={frame}
      className={`${styles.list} ${props.className ?? ''}`}
      style={props.height === undefined || items.length === 0 ? undefined : { flex: `0 1 ${props.height}px` }}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={current === undefined ? undefined : rowId(current)}
      data-testid={props['data-testid']}
      {...props.pointer}
      onKeyDown={(event) => {
        if (handleKey(event)) return;
        if (
          props.onType &&
          event.key.length === 1 &&
          /\p{L}/u.test(event.key) &&
          !event.altKey &&
          !event.ctrlKey &&
          !event.metaKey
        ) {
          props.onType(event);
        }
      }}
      onFocus={() => {
        if (at < 0) moveTo(0);
      }}
    >
      {items.length === 0 ? (
        props.empty
      ) : (
        <div className={styles.all} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((place) => {
            const item = items[place.index];
            if (item === undefined) return null;
            const isCursor = place.index === at;
            return (
              <div
                key={place.key}
                id={rowId(item)}
                role="option"
                aria-selected={isCursor}
                aria-setsize={items.length}
                aria-posinset={place.index + 1}
                className={styles.row}
                style={{ height: rowHeight, transform: `translateY(${place.start}px)` }}
                data-testid={props.testIdOf?.(item)}
                onClick={() => onCursor(idOf(item))}
                onDoubleClick={() => onOpen?.(item)}
              >
                {props.row(item, { cursor: isCursor })}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}
