import { t } from '../../i18n';

/** `2 adults, 1 child`. */
export function formatParty(adults: number, children: number): string {
  const text = t('common.adults', { count: adults });
  return children > 0 ? `${text}, ${t('common.children', { count: children })}` : text;
}

/** `2+1`, for columns. */
export function formatPartyShort(adults: number, children: number): string {
  return children > 0 ? `${adults}+${children}` : String(adults);
}
