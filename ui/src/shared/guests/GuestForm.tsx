import { useState, type FormEvent, type ReactNode } from 'react';
import { Checkbox } from 'react-aria-components';
import type { GuestRequest } from '../../generated/GuestRequest';
import type { GuestRow } from '../../generated/GuestRow';
import type { Problem } from '../../generated/Problem';
import { t } from '../../i18n';
import { TextField } from '../controls';
import { fieldError } from '../errors/table';
import styles from './GuestForm.module.css';

export interface GuestFormProps {
  /** Absent for a new guest. */
  guest: GuestRow | null;
  problem: Problem | null;
  onSubmit: (request: GuestRequest) => void;
  /** The buttons: one of them submits. */
  children: ReactNode;
}

const TEXTS = ['name', 'phone', 'email', 'company', 'country', 'language', 'notes'] as const;
type TextName = (typeof TEXTS)[number];

/** What is left of a text when nothing was written. */
function optional(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** A guest's profile to fill in. */
export function GuestForm({ guest, problem, onSubmit, children }: GuestFormProps) {
  const [texts, setTexts] = useState<Record<TextName, string>>(() => ({
    name: guest?.name ?? '',
    phone: guest?.phone ?? '',
    email: guest?.email ?? '',
    company: guest?.company ?? '',
    country: guest?.country ?? '',
    language: guest?.language ?? '',
    notes: guest?.notes ?? '',
  }));
  const [vip, setVip] = useState(guest?.vip ?? false);
  const [tried, setTried] = useState(false);
  const nameMissing = texts.name.trim() === '';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (nameMissing) return;
    onSubmit({
      version: guest?.version ?? null,
      name: texts.name.trim(),
      phone: optional(texts.phone),
      email: optional(texts.email),
      company: optional(texts.company),
      country: optional(texts.country)?.toUpperCase() ?? null,
      language: optional(texts.language)?.toLowerCase() ?? null,
      notes: texts.notes.trim(),
      vip,
    });
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {TEXTS.map((name) => (
        <TextField
          key={name}
          label={t(`guest.${name}`)}
          value={texts[name]}
          onChange={(value) => setTexts((now) => ({ ...now, [name]: value }))}
          error={
            name === 'name' && tried && nameMissing
              ? t('guest.name_missing')
              : fieldError(problem, `/${name}`)
          }
          autoFocus={name === 'name'}
          {...(name === 'notes' ? { lines: 3 } : {})}
          {...(name === 'country' || name === 'language' ? { className: styles.half } : {})}
          data-testid={`guest-${name}`}
        />
      ))}
      <Checkbox isSelected={vip} onChange={setVip} className={styles.check}>
        {({ isSelected }) => (
          <>
            <span className={styles.box} aria-hidden="true">
              {isSelected ? '✓' : ''}
            </span>
            {t('guest.vip_yes')}
          </>
        )}
      </Checkbox>
      <div className={styles.acts}>{children}</div>
    </form>
  );
}
