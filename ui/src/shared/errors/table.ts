// One place that turns a refusal's code into words: what happened, and what to do now.
// `table.test.ts` fails when the desk knows a code that has no text here.
import type { Code } from '../../generated/Code';
import type { Problem } from '../../generated/Problem';
import type { FieldProblem } from '../../generated/FieldProblem';
import { hasText, t, tWord } from '../../i18n';
import type { MessageId } from '../../i18n';

export type Severity = 'refused' | 'wait' | 'fault';

export interface ErrorText {
  title: string;
  advice: string;
  severity: Severity;
}

const SEVERITY: Partial<Record<Code, Severity>> = {
  busy: 'wait',
  offline: 'wait',
  too_many_requests: 'wait',
  internal: 'fault',
  bad_request: 'fault',
  bad_key: 'fault',
  key_reused: 'fault',
  method_not_allowed: 'fault',
  too_large: 'fault',
};

/** What to tell the clerk. */
export function errorText(problem: Problem): ErrorText {
  const title: MessageId = `error.${problem.code}.title`;
  const advice: MessageId = `error.${problem.code}.advice`;
  return {
    title: t(title),
    advice: t(advice),
    severity: SEVERITY[problem.code] ?? 'refused',
  };
}

/** The field by its name on the screen, and what is wrong with it. */
function fieldText(field: FieldProblem): string {
  const label = `field.${field.pointer.split('/').pop() ?? ''}`;
  return hasText(label) ? `${t(label)}: ${field.detail}` : field.detail;
}

/** What is wrong with the field of that pointer, for marking it. */
export function fieldError(problem: Problem | null, pointer: string): string | undefined {
  return problem?.fields?.find((field) => field.pointer === pointer)?.detail;
}

/** The facts of this refusal in words: the nights, the state, who is in the room. */
export function errorFacts(
  problem: Problem,
  words: { day: (day: string) => string; type: (id: string) => string },
): string[] {
  const facts: string[] = [];
  const byType = new Map<string, string[]>();
  for (const night of problem.nights ?? []) {
    const list = byType.get(night.room_type_id) ?? [];
    list.push(words.day(night.stay_date));
    byType.set(night.room_type_id, list);
  }
  for (const [type, days] of byType) {
    const shown = days.slice(0, 6).join(', ');
    facts.push(`${words.type(type)}: ${shown}${days.length > 6 ? ' …' : ''}`);
  }
  const state = problem.facts?.['state'];
  if (typeof state === 'string') facts.push(t('error.now', { state: tWord('state', state) }));
  for (const field of problem.fields ?? []) facts.push(fieldText(field));
  return facts;
}
