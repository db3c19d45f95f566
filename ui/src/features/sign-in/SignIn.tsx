import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { Problem } from '../../generated/Problem';
import type { Session } from '../../generated/Session';
import { t } from '../../i18n';
import { Button, ProblemNote, TextField } from '../../shared/controls';
import { call, RpcFailure } from '../../shared/rpc';
import styles from './SignIn.module.css';

export interface SignInProps {
  session: Session;
  onDone: () => void;
  /** Back to the screens, when only the token ran out. */
  onBack?: (() => void) | undefined;
}

interface Fields {
  server: string;
  name: string;
  password: string;
}

/** `host:7080` is meant as http: nobody types the scheme. */
function address(text: string): string | null {
  const full = /^[a-z]+:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`;
  try {
    const url = new URL(full);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  } catch {
    return null;
  }
}

export function SignIn({ session, onDone, onBack }: SignInProps) {
  const queries = useQueryClient();
  const [fields, setFields] = useState<Fields>({
    server: session.server ?? '',
    name: session.last_name ?? '',
    password: '',
  });
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

  const server = address(fields.server);
  const missing = {
    server: fields.server.trim() === '' ? t('sign_in.missing_server') : server === null ? t('sign_in.bad_server') : undefined,
    name: fields.name.trim() === '' ? t('sign_in.missing_name') : undefined,
    password: fields.password === '' ? t('sign_in.missing_password') : undefined,
  };
  const set = (field: keyof Fields) => (value: string) => setFields((now) => ({ ...now, [field]: value }));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (busy || server === null || missing.server || missing.name || missing.password) return;
    setBusy(true);
    setProblem(null);
    try {
      await call('session.sign_in', { server, name: fields.name.trim(), password: fields.password });
      await queries.invalidateQueries();
      onDone();
    } catch (cause) {
      if (cause instanceof RpcFailure) setProblem(cause.problem);
      else throw cause;
    } finally {
      setBusy(false);
    }
  };

  const firstEmpty = (['server', 'name', 'password'] as const).find((field) => fields[field] === '');
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit} noValidate aria-label={t('sign_in.title')}>
        <div className={styles.brand}>
          <Mark />
          <h1>{t('app.name')}</h1>
        </div>
        {onBack ? <p>{t('sign_in.again')}</p> : null}
        <TextField
          label={t('sign_in.server')}
          hint={t('sign_in.server_hint')}
          value={fields.server}
          onChange={set('server')}
          error={tried ? missing.server : undefined}
          autoFocus={firstEmpty === 'server'}
          autoComplete="url"
          data-testid="sign-in-server"
        />
        <TextField
          label={t('sign_in.name')}
          hint={t('sign_in.name_hint')}
          value={fields.name}
          onChange={set('name')}
          error={tried ? missing.name : undefined}
          autoFocus={firstEmpty === 'name'}
          autoComplete="username"
          data-testid="sign-in-name"
        />
        <TextField
          label={t('sign_in.password')}
          type="password"
          value={fields.password}
          onChange={set('password')}
          error={tried ? missing.password : undefined}
          autoFocus={firstEmpty === 'password'}
          autoComplete="current-password"
          data-testid="sign-in-password"
        />
        {problem ? (
          <ProblemNote
            problem={problem}
            advice={problem.code === 'offline' ? t('sign_in.offline_advice') : undefined}
          />
        ) : null}
        {session.keyring_problem ? (
          <p className={styles.warning} data-testid="keyring-warning" title={t('sign_in.keyring_detail', { why: session.keyring_problem })}>
            <span aria-hidden="true">▲ </span>
            {t('sign_in.keyring')}
          </p>
        ) : null}
        <div className={styles.acts}>
          {onBack ? (
            <Button kind="quiet" onPress={onBack}>
              {t('common.back')}
            </Button>
          ) : null}
          <Button kind="primary" type="submit" isDisabled={busy} data-testid="sign-in-button">
            {busy ? t('sign_in.busy') : t('sign_in.do')}
          </Button>
        </div>
      </form>
    </main>
  );
}

/** The mark: a window lit at night. */
export function Mark() {
  return (
    <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
      <rect x="2" y="2" width="28" height="28" rx="6" className={styles.markGround} />
      <path d="M10 22.5v-13l12 13v-13" className={styles.markLine} />
    </svg>
  );
}
