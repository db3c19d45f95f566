import { useId, useState, type KeyboardEvent, type Ref } from 'react';
import type { GuestRow } from '../../generated/GuestRow';
import { t } from '../../i18n';
import { useRpc } from '../../shared/rpc';
import styles from './new.module.css';

/** Fewer signs find half the hotel. */
const FIND_MIN = 2;
const FOUND_MAX = 6;

interface GuestPickerProps {
  label: string;
  placeholder: string;
  name: string;
  onName: (name: string) => void;
  onChoose: (guest: GuestRow) => void;
  /** Enter where nothing is chosen from the list. */
  onEnter?: (() => void) | undefined;
  error?: string | undefined;
  inputRef?: Ref<HTMLInputElement>;
  'data-testid'?: string;
}

/** A name, and the known guests that it may mean while it is typed. */
export function GuestPicker(props: GuestPickerProps) {
  const list = useId();
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const text = props.name.trim();
  const found = useRpc(
    'find',
    { text, limit: FOUND_MAX },
    { enabled: open && text.length >= FIND_MIN, keepPrevious: true },
  );
  const guests =
    open && text.length >= FIND_MIN
      ? (found.data?.guests ?? []).filter((guest) => !guest.erased).slice(0, FOUND_MAX)
      : [];
  const marked = guests[at];

  const choose = (guest: GuestRow) => {
    setOpen(false);
    setAt(-1);
    props.onChoose(guest);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'ArrowDown' && guests.length > 0) setAt(Math.min(guests.length - 1, at + 1));
    else if (event.key === 'ArrowUp' && guests.length > 0) setAt(Math.max(-1, at - 1));
    else if (event.key === 'Enter') {
      if (marked) choose(marked);
      else props.onEnter?.();
    } else if (event.key === 'Escape' && guests.length > 0) {
      setOpen(false);
      setAt(-1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className={styles.picker}>
      <label className={styles.caption} htmlFor={`${list}-input`}>
        {props.label}
      </label>
      <input
        ref={props.inputRef}
        id={`${list}-input`}
        className={styles.input}
        role="combobox"
        aria-expanded={guests.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={marked ? `${list}-${marked.id}` : undefined}
        aria-invalid={props.error !== undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={props.placeholder}
        value={props.name}
        data-testid={props['data-testid']}
        onChange={(event) => {
          setOpen(true);
          setAt(-1);
          props.onName(event.target.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      {props.error === undefined ? null : <span className={styles.error}>{props.error}</span>}
      {guests.length > 0 ? (
        <ul id={list} className={styles.found} role="listbox" aria-label={t('new.guest_known')}>
          {guests.map((guest, index) => (
            <li
              key={guest.id}
              id={`${list}-${guest.id}`}
              role="option"
              aria-selected={index === at}
              data-testid="known-guest"
              onPointerDown={(event) => {
                // Before the field loses the focus and the list goes away.
                event.preventDefault();
                choose(guest);
              }}
            >
              <b>{guest.name}</b>
              <span>{guestLine(guest)}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** What tells two people of one name apart. */
export function guestLine(guest: GuestRow): string {
  return [guest.vip ? t('new.vip') : null, guest.company, guest.phone, guest.email, guest.country]
    .filter((part) => part !== null && part !== '')
    .join(' · ');
}
