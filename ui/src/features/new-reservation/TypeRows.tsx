import { useRef, useState, type KeyboardEvent, type Ref } from 'react';
import type { QuoteAnswer } from '../../generated/QuoteAnswer';
import type { QuoteType } from '../../generated/QuoteType';
import type { Restriction } from '../../generated/Restriction';
import { hasText, t } from '../../i18n';
import { formatLeft, formatMoney } from '../../shared/format';
import styles from './new.module.css';

interface TypeRowsProps {
  quote: QuoteAnswer;
  rooms: number;
  /** How many of each type are wanted, by the typed line. */
  wanted: ReadonlyMap<string, number>;
  chosen: string | undefined;
  held: ReadonlySet<string>;
  heldText: string;
  onChoose: (typeId: string) => void;
  listRef: Ref<HTMLDivElement>;
}

/** The types as rows: what is left, what it costs, what forbids it. Enter or a click holds. */
export function TypeRows({
  quote,
  rooms,
  wanted,
  chosen,
  held,
  heldText,
  onChoose,
  listRef,
}: TypeRowsProps) {
  const types = quote.types.filter((type) => type.room_type.active);
  const [at, setAt] = useState<string | undefined>(undefined);
  const first = types.find((type) => type.left >= rooms && type.restrictions.length === 0);
  const cursor =
    at ?? chosen ?? [...wanted.keys()][0] ?? first?.room_type.id ?? types[0]?.room_type.id;
  const own = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const index = types.findIndex((type) => type.room_type.id === cursor);
    const go = (to: number) =>
      setAt(types[Math.max(0, Math.min(types.length - 1, to))]?.room_type.id);
    if (event.key === 'ArrowDown') go(index + 1);
    else if (event.key === 'ArrowUp') go(index - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(types.length - 1);
    else if ((event.key === 'Enter' || event.key === ' ') && cursor !== undefined) onChoose(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={(element) => {
        own.current = element;
        if (typeof listRef === 'function') listRef(element);
        else if (listRef) listRef.current = element;
      }}
      className={styles.types}
      role="listbox"
      tabIndex={0}
      aria-label={t('new.types')}
      aria-activedescendant={cursor === undefined ? undefined : `type-${cursor}`}
      data-testid="type-rows"
      onKeyDown={onKeyDown}
    >
      <div className={styles.typeHead} aria-hidden="true">
        <span>{t('new.col.type')}</span>
        <span />
        <span>{t('new.col.left')}</span>
        <span>{t('new.col.night')}</span>
        <span>{t('new.col.total')}</span>
      </div>
      {types.map((type) => {
        const id = type.room_type.id;
        const count = wanted.get(id) ?? rooms;
        const few = type.left < count;
        return (
          <div
            key={id}
            id={`type-${id}`}
            className={styles.type}
            role="option"
            aria-selected={held.has(id) || chosen === id}
            data-cursor={cursor === id || undefined}
            data-held={held.has(id) || undefined}
            data-few={few || type.restrictions.length > 0 || undefined}
            data-testid={`type-row-${type.room_type.code}`}
            onClick={() => {
              setAt(id);
              onChoose(id);
            }}
          >
            <span className={styles.code}>
              <b>{type.room_type.code}</b>
              {(wanted.get(id) ?? 0) > 1 ? ` × ${wanted.get(id)}` : ''}
            </span>
            <span className={styles.typeName}>
              <span>{type.room_type.name}</span>
              <i>{t('new.persons', { count: type.room_type.max_occupancy })}</i>
              {type.restrictions.map((rule) => (
                <em key={rule.rule}>{ruleText(rule)}</em>
              ))}
              {held.has(id) ? <strong>{heldText}</strong> : null}
            </span>
            <span className={styles.left} data-few={few || undefined}>
              {type.left <= 0 ? t('new.sold_out') : formatLeft(type.left, type.limit)}
            </span>
            <span className={styles.money}>{nightText(type, quote.currency)}</span>
            <span className={styles.money}>
              <b>{type.total === null ? '' : formatMoney(type.total * count, quote.currency)}</b>
            </span>
          </div>
        );
      })}
    </div>
  );
}

function ruleText(rule: Restriction): string {
  const id = `new.rule.${rule.rule}`;
  return hasText(id) ? t(id, { nights: rule.nights ?? 0 }) : rule.rule.replaceAll('_', ' ');
}

/** One price where every night costs the same, else the lowest and the highest. */
function nightText(type: QuoteType, currency: string): string {
  const prices = type.nights.map((night) => night.price);
  if (type.total === null || prices.some((price) => price === null)) return t('new.no_price');
  const known = prices.flatMap((price) => (price === null ? [] : [price]));
  const low = Math.min(...known);
  const high = Math.max(...known);
  if (low === high) return formatMoney(low, currency);
  return t('new.night_range', {
    low: formatMoney(low, currency),
    high: formatMoney(high, currency),
  });
}
