import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Problem } from '../../generated/Problem';
import { hasText } from '../../i18n';
import { errorFacts, errorText } from './table';

/** The codes as the generated type lists them. */
const codes = [
  ...readFileSync('src/generated/Code.ts', 'utf8').matchAll(/"([a-z_]+)"/g),
].map((match) => match[1]!);

it('every code of the protocol says what happened and what to do', () => {
  expect(codes.length).toBeGreaterThan(25);
  for (const code of codes) {
    expect(hasText(`error.${code}.title`), code).toBe(true);
    expect(hasText(`error.${code}.advice`), code).toBe(true);
  }
});

it('names the nights by type and the state in words', () => {
  const problem: Problem = {
    type: '',
    title: '',
    status: 409,
    code: 'sold_out',
    nights: [
      { room_type_id: 'a', stay_date: '2026-11-30' },
      { room_type_id: 'a', stay_date: '2026-12-01' },
    ],
    facts: { state: 'checked_in' },
  };
  expect(errorText(problem).title).toBe('Sold out');
  expect(errorFacts(problem, { day: (day) => day.slice(5), type: () => 'STD' })).toEqual([
    'STD: 11-30, 12-01',
    'It is now: in house.',
  ]);
});
