// Money is whole minor units (cents, yen, fils). It becomes text without ever becoming a fraction.
import { locale } from '../../i18n';

const NO_DIGITS = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
);
const THREE_DIGITS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** Digits after the point, as `protocol::money::minor_digits` has them. */
export function minorDigits(currency: string): number {
  if (NO_DIGITS.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

/** `12345` in EUR as the decimal text `123.45`. */
export function minorToDecimal(minor: number, currency: string): string {
  const digits = minorDigits(currency);
  const sign = minor < 0 ? '-' : '';
  const whole = String(Math.abs(minor)).padStart(digits + 1, '0');
  if (digits === 0) return sign + whole;
  return `${sign}${whole.slice(0, -digits)}.${whole.slice(-digits)}`;
}

/** What a person typed, `123,4`, as minor units; null when it is no amount of that currency. */
export function decimalToMinor(text: string, currency: string): number | null {
  const digits = minorDigits(currency);
  const match = /^\s*(-?)(\d{1,12})(?:[.,](\d+))?\s*$/.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  if (fraction.length > digits) return null;
  const minor = Number(whole + fraction.padEnd(digits, '0'));
  if (!Number.isSafeInteger(minor)) return null;
  return sign && minor !== 0 ? -minor : minor;
}

const formats = new Map<string, Intl.NumberFormat>();
function numberFormat(currency: string, withCurrency: boolean): Intl.NumberFormat {
  const key = `${currency} ${withCurrency}`;
  let format = formats.get(key);
  if (!format) {
    const digits = minorDigits(currency);
    format = new Intl.NumberFormat(locale, {
      ...(withCurrency
        ? { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }
        : { style: 'decimal' }),
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format;
}

/** `€1,234.50`, `¥10,000`. */
export function formatMoney(minor: number, currency: string): string {
  // A decimal text is formatted digit by digit; a number would go through a binary fraction.
  return numberFormat(currency, true).format(minorToDecimal(minor, currency) as never);
}

/** `€` for `EUR`, for the heads of columns. */
export function currencySign(currency: string): string {
  const parts = numberFormat(currency, true).formatToParts(0);
  return parts.find((part) => part.type === 'currency')?.value ?? currency;
}

/** The same without the sign of the currency, for columns that name it in their head. */
export function formatAmount(minor: number, currency: string): string {
  return numberFormat(currency, false).format(minorToDecimal(minor, currency) as never);
}
