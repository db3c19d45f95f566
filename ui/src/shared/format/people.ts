import { locale, t } from '../../i18n';

/** `2 adults, 1 child`. */
export function formatParty(adults: number, children: number): string {
  const text = t('common.adults', { count: adults });
  return children > 0 ? `${text}, ${t('common.children', { count: children })}` : text;
}

/** `2+1`, for columns. */
export function formatPartyShort(adults: number, children: number): string {
  return children > 0 ? `${adults}+${children}` : String(adults);
}

function nameOf(kind: 'region' | 'language', code: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: kind }).of(code) ?? code;
  } catch {
    // Not a code of that form: shown as it was typed.
    return code;
  }
}

/** `Spain` for `ES`. */
export function countryName(code: string): string {
  return nameOf('region', code);
}

/** `Spanish` for `es`. */
export function languageName(code: string): string {
  return nameOf('language', code);
}
