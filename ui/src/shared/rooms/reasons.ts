import type { SuggestReason } from '../../generated/SuggestReason';
import type { Suggestion } from '../../generated/Suggestion';
import { hasText, t } from '../../i18n';
import { formatDate } from '../format';

/** One reason in words: `leaves no gap`, `3rd floor as asked`. */
export function reasonText(reason: SuggestReason): string {
  const id = `suggest.${reason.word}`;
  if (!hasText(id)) return reason.word.replaceAll('_', ' ');
  const value = reason.value ?? '';
  return t(id, { value: /^\d{4}-\d\d-\d\d$/.test(value) ? formatDate(value) : value });
}

/** All of them: `clean · leaves no gap`. */
export function reasonsText(suggestion: Suggestion): string {
  return suggestion.reasons.map(reasonText).join(' · ');
}

/** Somebody is still in it: nobody can be given it before they have left. */
export function isOccupied(suggestion: Suggestion): boolean {
  return suggestion.reasons.some((reason) => reason.word === 'occupied');
}

/** Another type than booked: given for the booked type's price. */
export function isUpgrade(suggestion: Suggestion): boolean {
  return suggestion.reasons.some((reason) => reason.word === 'upgrade');
}
