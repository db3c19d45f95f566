import { useEffect, useMemo, useRef, useState } from 'react';
import type { StayLine } from '../../generated/StayLine';
import { t } from '../../i18n';
import {
  Empty,
  List,
  ProblemNote,
  useCursor,
  useFresh,
  useSettled,
  type ListHandle,
} from '../../shared/controls';
import { currencySign, formatDate } from '../../shared/format';
import { useHotkey } from '../../shared/hotkeys';
import { useHouse } from '../../shared/house';
import { navigate, openPanel, useRoute } from '../../shared/route';
import { useColleagues, useRpc } from '../../shared/rpc';
import { useSide } from '../../shared/side';
import { filterLines, isListName, linesOf, LISTS, nextStep, type ListName } from './lists';
import { PrintSheet } from './PrintSheet';
import { LineHead, LineRow } from './LineRow';
import styles from './Today.module.css';

/** How long a colleague's name stays. */
const COLLEAGUE_MS = 6_000;

const idOf = (line: StayLine) => line.id;

/** The lists of the open day, and what Enter does next. */
export function Today() {
  const { hotel } = useHouse();
  const route = useRoute();
  const list: ListName = isListName(route.parts[0]) ? route.parts[0] : 'due_in';
  const today = useRpc('today.get', {});
  const [query, setQuery] = useState('');
  const handle = useRef<ListHandle>(null);
  const filter = useRef<HTMLInputElement>(null);

  const all = useMemo(() => (today.data ? linesOf(today.data, list) : undefined), [today.data, list]);
  const fresh = useFresh(list, all, idOf);
  const colleagues = useNames();
  const filtered = useMemo(() => filterLines(all ?? [], query), [all, query]);
  const { items: lines, gone, pointer } = useSettled(`${list} ${query}`, filtered, idOf);
  const cursor = useCursor(`today.${list}`, lines, idOf);
  useSide(cursor.id === null ? 'none' : 'reservation', cursor.id ?? (today.data ? t('today.side_empty') : null));

  useEffect(() => setQuery(''), [list]);
  useEffect(() => handle.current?.focus(), [list, today.isSuccess]);

  // Escape first takes the filter away, then belongs to the shell.
  useHotkey('back', () => {
    if (query === '' && document.activeElement !== filter.current) return false;
    setQuery('');
    handle.current?.focus();
    return true;
  });

  const open = (line: StayLine) => {
    const step = nextStep(line, hotel.business_date);
    if (step === 'check_in') navigate('check-in', [line.id], { query: { list } });
    else if (step === 'check_out') openPanel('check-out', line.id);
    else openPanel('reservation', line.id);
  };

  if (today.error) {
    return (
      <div className={styles.trouble}>
        <ProblemNote problem={today.error.problem} />
      </div>
    );
  }
  return (
    <div className={styles.today}>
      <nav className={styles.lists} aria-label={t('today.lists')}>
        {LISTS.map((name) => (
          <button
            key={name}
            type="button"
            className={styles.listName}
            aria-current={name === list ? 'true' : undefined}
            data-alarm={(name === 'over_limit' && today.data && linesOf(today.data, name).length > 0) || undefined}
            onClick={() => navigate('today', [name], { replace: true })}
            data-testid={`today-list-${name}`}
          >
            <span>{t(`today.list.${name}`)}</span>
            <span className={styles.count} data-testid={`today-count-${name}`}>
              {today.data ? linesOf(today.data, name).length : ''}
            </span>
          </button>
        ))}
        <p className={styles.colleagues} role="status">
          {colleagues ? t('today.by', { names: colleagues }) : ''}
        </p>
      </nav>
      <section className={styles.middle} aria-label={t(`today.list.${list}`)}>
        <header className={styles.head}>
          <h1 className={styles.title}>{t(`today.list.${list}`)}</h1>
          <span className={styles.titleDate}>{formatDate(hotel.business_date)}</span>
          <input
            ref={filter}
            className={styles.filter}
            value={query}
            placeholder={t('today.filter')}
            aria-label={t('today.filter')}
            data-testid="today-filter"
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => handle.current?.handleKey(event)}
          />
          <span className={styles.step}>{cursor.item ? <StepHint line={cursor.item} /> : null}</span>
        </header>
        <LineHead list={list} currency={currencySign(hotel.currency)} />
        {today.data ? (
          <List
            items={lines}
            idOf={idOf}
            label={t(`today.list.${list}`)}
            cursor={cursor.id}
            onCursor={cursor.set}
            onOpen={open}
            onType={() => filter.current?.focus()}
            handle={handle}
            data-testid="today-rows"
            testIdOf={(line) => `today-row-${line.number}`}
            pointer={pointer}
            row={(line) => (
              <LineRow
                line={line}
                list={list}
                gone={gone.has(line.id)}
                fresh={fresh.has(line.id) ? colleagues || t('today.fresh') : null}
              />
            )}
            empty={
              query ? (
                <Empty title={t('today.no_match', { query })}>{t('today.no_match_how')}</Empty>
              ) : (
                <Empty title={t(`today.empty.${list}`)}>{t(`today.empty_how.${list}`)}</Empty>
              )
            }
          />
        ) : null}
      </section>
      <PrintSheet list={list} lines={lines} />
    </div>
  );
}

/** What Enter does on this line, in words. */
function StepHint({ line }: { line: StayLine }) {
  const { hotel } = useHouse();
  return (
    <>
      <kbd className={styles.enter}>↵</kbd> {t(`today.step.${nextStep(line, hotel.business_date)}`)}
    </>
  );
}

/** Who else is at work: names for a moment, as one text. */
function useNames(): string {
  const [names, setNames] = useState<readonly string[]>([]);
  useColleagues(setNames);
  useEffect(() => {
    if (names.length === 0) return;
    const timer = setTimeout(() => setNames([]), COLLEAGUE_MS);
    return () => clearTimeout(timer);
  }, [names]);
  return names.join(', ');
}
