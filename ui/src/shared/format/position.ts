import { t } from '../../i18n';

/** `3/40`, or `over by 1` when below zero. */
export function formatLeft(left: number, limit: number): string {
  return left < 0 ? t('common.over_by', { count: -left }) : `${left}/${limit}`;
}
