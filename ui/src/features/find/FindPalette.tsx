import { useDeferredValue, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { t } from '../../i18n';
import { Empty, Kbd, StateMark } from '../../shared/controls';
import { formatStay } from '../../shared/format';
import { useHouse } from '../../shared/house';
import { keyOf, HOTKEYS } from '../../shared/hotkeys';
import { navigate } from '../../shared/route';
import { useRpc } from '../../shared/rpc';
import { resultsOf, type Result } from './results';
import styles from './FindPalette.module.css';

/** Finds anything: a guest, a number, a room, an act. */
export function FindPalette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const asked = useDeferredValue(query.trim());
  const [picked, setPicked] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const found = useRpc('find', { text: asked, limit: 20 }, { enabled: asked !== '', keepPrevious: true });
  const catalogue = useRpc('catalogue.get', {});
  const results = resultsOf(asked, asked === '' ? undefined : found.data, catalogue.data?.rooms ?? []);
  const options = results.filter((result) => result.kind !== 'head');
  const at = Math.max(0, options.findIndex((option) => option.id === picked));
  const current = options[at];

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  const open = (result: Result) => {
    onClose();
    switch (result.kind) {
      case 'act':
        act(result.hotkey);
        break;
      case 'stay':
        navigate('reservation', [result.line.id]);
        break;
      case 'guest':
        navigate('new', [], { query: { guest: result.guest.id } });
        break;
      case 'room':
        navigate('chart', [], { query: { room: result.room.id } });
        break;
      case 'head':
        break;
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = options[(at + step + options.length) % options.length];
      if (next) setPicked(next.id);
    } else if (event.key === 'Enter') {
      // What is shown must be what was typed, or Enter would open somebody else.
      if (current && asked === query.trim() && !found.isPlaceholderData) open(current);
    } else if (keyOf(event.nativeEvent) === 'Ctrl+k') {
      onClose();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <ModalOverlay
      isOpen
      isDismissable
      className={styles.overlay}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={styles.modal}>
        <Dialog className={styles.dialog} aria-label={t('find.title')} data-testid="find">
          <input
            className={styles.input}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setPicked(null);
            }}
            onKeyDown={onKeyDown}
            placeholder={t('find.placeholder')}
            aria-label={t('find.placeholder')}
            role="combobox"
            aria-expanded="true"
            aria-controls="find-results"
            aria-activedescendant={current ? `find-${current.id}` : undefined}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            data-testid="find-input"
          />
          <div className={styles.results} id="find-results" role="listbox" ref={list} aria-label={t('find.title')}>
            {results.map((result) =>
              result.kind === 'head' ? (
                <div key={result.id} className={styles.head} role="presentation">
                  {result.text}
                </div>
              ) : (
                <div
                  key={result.id}
                  id={`find-${result.id}`}
                  role="option"
                  aria-selected={result.id === current?.id}
                  className={styles.result}
                  onClick={() => open(result)}
                  onPointerMove={() => setPicked(result.id)}
                  data-testid={`find-${result.kind}`}
                >
                  <ResultLine result={result} />
                </div>
              ),
            )}
            {options.length === 0 && found.isSuccess ? (
              <Empty title={t('find.nothing', { query: asked })}>{t('find.nothing_how')}</Empty>
            ) : null}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function ResultLine({ result }: { result: Exclude<Result, { kind: 'head' }> }) {
  const { hotel } = useHouse();
  switch (result.kind) {
    case 'act':
      return (
        <>
          <span className={styles.grow}>{t(HOTKEYS[result.hotkey].label)}</span>
          <Kbd hotkey={result.hotkey} always />
        </>
      );
    case 'stay': {
      const { line } = result;
      return (
        <>
          <StateMark state={line.state} shapeOnly />
          <span className={styles.grow}>
            <strong>
              <bdi>{line.guest_name || t('common.no_name')}</bdi>
            </strong>
            {result.why === undefined ? null : (
              <span className={styles.faint}>
                {' '}
                <bdi>{result.why}</bdi>
              </span>
            )}
          </span>
          <span className={styles.room}>{line.room_number ?? line.type_code}</span>
          <span className={styles.dates}>{formatStay(line.check_in, line.check_out, hotel.business_date)}</span>
          <span className={styles.confirmation}>{line.number}</span>
        </>
      );
    }
    case 'guest':
      return (
        <>
          <span className={styles.grow}>
            <bdi>{result.guest.name}</bdi>
            <span className={styles.faint}>
              {' '}
              {[result.guest.company, result.guest.phone, result.guest.email].filter(Boolean).join(' · ')}
            </span>
          </span>
          <span className={styles.faint}>{t('find.new_for')}</span>
        </>
      );
    case 'room':
      return (
        <>
          <span className={styles.grow}>
            <strong>{result.room.number}</strong>
            <span className={styles.faint}> {t(`room_status.${result.room.status}`)}</span>
          </span>
          <span className={styles.faint}>{t('find.room_on_chart')}</span>
        </>
      );
  }
}

/** Acts run as if their key had been pressed, so there is one place that says what they do. */
function act(id: keyof typeof HOTKEYS): void {
  const key: string = HOTKEYS[id].keys[0];
  const parts = key.split('+');
  const name = parts.pop() ?? '';
  setTimeout(() => {
    dispatchEvent(new KeyboardEvent('keydown', { key: name, ctrlKey: parts.includes('Ctrl') }));
  });
}
