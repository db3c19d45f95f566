import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Command } from '../../generated/Command';
import type { CommandLine } from '../../generated/CommandLine';
import { t } from '../../i18n';
import { Button, Empty, ProblemNote, toast } from '../../shared/controls';
import { formatInstant } from '../../shared/format';
import { useHouse } from '../../shared/house';
import { openPanel } from '../../shared/route';
import { call, invalidateTags, useRpc } from '../../shared/rpc';
import styles from './Tasks.module.css';

/** What was refused and needs a person, and what is recorded and not sent yet. */
export function Tasks() {
  const list = useRpc('command.list', {});
  const queries = useQueryClient();
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (list.isSuccess) first.current?.focus({ preventScroll: true });
  }, [list.isSuccess]);
  if (list.error) return <ProblemNote problem={list.error.problem} />;
  if (!list.data) return null;
  const { tasks, unsent } = list.data;
  const tick = async (line: CommandLine) => {
    await call('task.done', { id: line.id });
    invalidateTags(queries, ['commands']);
    toast(t('tasks.ticked', { about: line.about }));
    first.current?.focus();
  };
  return (
    <div className={styles.tasks} ref={first} tabIndex={-1} data-testid="tasks">
      <section className={styles.section} aria-label={t('tasks.refused')}>
        <h1 className={styles.title}>
          {t('tasks.refused')} <span className={styles.count}>{tasks.length}</span>
        </h1>
        {tasks.length === 0 ? (
          <Empty title={t('tasks.refused_empty')}>{t('tasks.refused_how')}</Empty>
        ) : (
          <ul className={styles.list}>
            {tasks.map((line) => (
              <li key={line.id} className={styles.task} data-testid={`task-${line.id}`}>
                <Head line={line} />
                {line.problem ? <ProblemNote problem={line.problem} /> : null}
                <div className={styles.acts}>
                  <Open command={line.command} />
                  <Button onPress={() => void tick(line)} data-testid="task-done">
                    {t('tasks.tick')}
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className={styles.section} aria-label={t('tasks.unsent')}>
        <h2 className={styles.title}>
          {t('tasks.unsent')} <span className={styles.count}>{unsent.length}</span>
        </h2>
        {unsent.length === 0 ? (
          <Empty title={t('tasks.unsent_empty')}>{t('tasks.unsent_how')}</Empty>
        ) : (
          <ul className={styles.list}>
            {unsent.map((line) => (
              <li key={line.id} className={styles.task}>
                <Head line={line} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

function Head({ line }: { line: CommandLine }) {
  const { hotel } = useHouse();
  return (
    <p className={styles.head}>
      <span className={styles.when}>{formatInstant(line.made_at, hotel.time_zone)}</span>
      <strong>{t(`verb.${line.command.verb}`)}</strong>
      <span className={styles.about}>{line.about}</span>
      {line.attempts > 1 ? <span className={styles.when}>{t('tasks.attempts', { count: line.attempts })}</span> : null}
    </p>
  );
}

/** Where the thing that was refused can be looked at. */
function Open({ command }: { command: Command }) {
  const id = 'reservation_id' in command ? command.reservation_id : null;
  if (id === null) return null;
  return (
    <Button kind="quiet" onPress={() => openPanel('reservation', id)}>
      {t('tasks.open')}
    </Button>
  );
}
