import type { Ref } from 'react';
import { t, type MessageId } from '../../i18n';
import { Button, TextField } from '../../shared/controls';
import { useRpc } from '../../shared/rpc';
import { type GuestDraft, NO_GUEST } from './draft';
import { GuestPicker, guestLine } from './GuestPicker';
import { likelyGuests } from './likely-guests';
import styles from './new.module.css';

interface GuestPanelProps {
  guest: GuestDraft;
  onGuest: (guest: GuestDraft) => void;
  error: string | undefined;
  nameRef: Ref<HTMLInputElement>;
  onEnter: () => void;
}

const FIELDS: readonly {
  key: 'phone' | 'email' | 'company' | 'country' | 'language';
  label: MessageId;
  wide: boolean;
}[] = [
  { key: 'phone', label: 'new.guest_phone', wide: false },
  { key: 'email', label: 'new.guest_email', wide: false },
  { key: 'company', label: 'new.guest_company', wide: true },
  { key: 'country', label: 'new.guest_country', wide: false },
  { key: 'language', label: 'new.guest_language', wide: false },
];

/** The guest: found while the name is typed, or written down as a new one. */
export function GuestPanel({ guest, onGuest, error, nameRef, onEnter }: GuestPanelProps) {
  const name = guest.name.trim();
  const email = guest.email.trim();
  const phone = guest.phone.replace(/\D/g, '');
  const isNew = guest.profile === undefined;
  const byName = useRpc('find', { text: name, limit: 20 }, { enabled: isNew && name.length >= 3 });
  const byEmail = useRpc(
    'find',
    { text: email, limit: 5 },
    { enabled: isNew && email.includes('@') },
  );
  const byPhone = useRpc(
    'find',
    { text: phone.slice(-9), limit: 5 },
    { enabled: isNew && phone.length >= 7 },
  );
  const candidates = [byName, byEmail, byPhone].flatMap((answer) => answer.data?.guests ?? []);
  const unique = [...new Map(candidates.map((one) => [one.id, one])).values()];
  const [likely] = isNew ? likelyGuests(guest, unique) : [];

  if (guest.profile) {
    return (
      <section className={styles.guest} aria-label={t('new.guest')}>
        <h2>{t('new.guest')}</h2>
        <div className={styles.known} data-testid="guest-chosen">
          <b>{guest.profile.name}</b>
          <span>{guestLine(guest.profile)}</span>
          {guest.profile.notes === '' ? null : (
            <span className={styles.heed}>{guest.profile.notes}</span>
          )}
          <Button onPress={() => onGuest(NO_GUEST)} data-testid="other-guest">
            {t('new.guest_other')}
          </Button>
        </div>
      </section>
    );
  }
  return (
    <section className={styles.guest} aria-label={t('new.guest')}>
      <h2>{t('new.guest')}</h2>
      <GuestPicker
        label={t('new.guest_name')}
        placeholder={t('new.guest_find')}
        name={guest.name}
        onName={(text) => onGuest({ ...guest, name: text })}
        onChoose={(profile) => onGuest({ ...NO_GUEST, profile, name: profile.name })}
        onEnter={onEnter}
        error={error}
        inputRef={nameRef}
        data-testid="guest-name"
      />
      {likely ? (
        <div className={styles.likely} role="status" data-testid="likely-guest">
          <span>
            {t('new.likely', { why: likely.why.map((why) => t(`new.likely.${why}`)).join(', ') })}
          </span>
          <b>{likely.guest.name}</b>
          <span>{guestLine(likely.guest)}</span>
          <Button
            onPress={() => onGuest({ ...NO_GUEST, profile: likely.guest, name: likely.guest.name })}
          >
            {t('new.likely_use')}
          </Button>
        </div>
      ) : null}
      <div className={styles.fields}>
        {FIELDS.map((field) => (
          <TextField
            key={field.key}
            label={t(field.label)}
            value={guest[field.key]}
            onChange={(text) => onGuest({ ...guest, [field.key]: text })}
            className={field.wide ? (styles.wide ?? '') : ''}
            maxLength={field.key === 'country' || field.key === 'language' ? 2 : 200}
            data-testid={`guest-${field.key}`}
          />
        ))}
      </div>
      <TextField
        label={t('new.guest_notes')}
        value={guest.notes}
        onChange={(text) => onGuest({ ...guest, notes: text })}
        lines={2}
        data-testid="guest-notes"
      />
    </section>
  );
}
