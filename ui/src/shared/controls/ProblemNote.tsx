import type { ReactNode } from 'react';
import type { Problem } from '../../generated/Problem';
import { t } from '../../i18n';
import { errorFacts, errorText } from '../errors/table';
import { formatDate } from '../format';
import { useRpc } from '../rpc';
import styles from './ProblemNote.module.css';

/** Nil stands for the house. */
const HOUSE_ID = '00000000-0000-0000-0000-000000000000';

export interface ProblemNoteProps {
  problem: Problem;
  /** What it was about, before the title: `Check-in of Ana García`. */
  about?: string;
  /** What to do here, instead of what the code says in general. */
  advice?: string | undefined;
  children?: ReactNode;
}

/** A refusal: what happened, to what, what to do now. */
export function ProblemNote({ problem, about, advice, children }: ProblemNoteProps) {
  const text = errorText(problem);
  const needsTypes = (problem.nights ?? []).length > 0;
  const catalogue = useRpc('catalogue.get', {}, { enabled: needsTypes });
  const facts = errorFacts(problem, {
    day: (day) => formatDate(day),
    type: (id) =>
      id === HOUSE_ID ? t('common.house') : (catalogue.data?.types.find((type) => type.id === id)?.code ?? ''),
  });
  return (
    <div className={styles.note} role="alert" data-severity={text.severity} data-testid="problem" data-code={problem.code}>
      <p className={styles.title}>{about ? `${about}: ${text.title}` : text.title}</p>
      {facts.map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      <p>{advice ?? text.advice}</p>
      {children}
    </div>
  );
}
