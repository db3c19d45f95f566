import { describe, expect, it } from 'vitest';
import {
  addDays,
  decimalToMinor,
  eachNight,
  formatAmount,
  formatClock,
  formatDate,
  formatDays,
  formatLeft,
  formatMoney,
  formatPartyShort,
  formatStay,
  minorToDecimal,
  nightsBetween,
} from '.';

describe('nights', () => {
  it('are the same for clients in every time zone', () => {
    const before = process.env['TZ'];
    for (const zone of ['Pacific/Honolulu', 'Pacific/Kiritimati', 'Europe/Madrid', 'America/Sao_Paulo']) {
      process.env['TZ'] = zone;
      expect(formatDate('2026-11-30'), zone).toBe('Mon 30 Nov');
      expect(addDays('2026-03-28', 2), zone).toBe('2026-03-30');
      expect(nightsBetween('2026-10-24', '2026-10-26'), zone).toBe(2);
    }
    process.env['TZ'] = before;
  });

  it('read as a stay, and never as an ambiguous number', () => {
    expect(formatStay('2026-11-30', '2026-12-02')).toBe('30 Nov – 2 Dec · 2 nights');
    expect(formatStay('2026-12-01', '2026-12-02')).toBe('1 – 2 Dec · 1 night');
    expect(formatStay('2026-12-01', '2026-12-01')).toBe('1 Dec · day use');
    expect(formatDays('2026-12-30', '2027-01-02', '2026-11-30')).toBe('30 Dec – 2 Jan 2027');
    expect(formatDate('2027-01-02', '2026-11-30')).toBe('Sat 2 Jan 2027');
  });

  it('go over the leap day', () => {
    expect(eachNight('2028-02-28', 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  });
});

describe('money', () => {
  it('b52 has the digits of its currency', () => {
    expect(formatMoney(123450, 'EUR')).toBe('€1,234.50');
    expect(formatMoney(10000, 'JPY')).toBe('¥10,000');
    expect(formatAmount(18600, 'KWD')).toBe('18.600');
    expect(formatAmount(-5, 'EUR')).toBe('-0.05');
  });

  it('is never a binary fraction', () => {
    expect(minorToDecimal(900719925474099, 'EUR')).toBe('9007199254740.99');
    expect(formatAmount(900719925474099, 'EUR')).toBe('9,007,199,254,740.99');
    expect(decimalToMinor('0.29', 'EUR')).toBe(29);
    expect(decimalToMinor('1,1', 'KWD')).toBe(1100);
    expect(decimalToMinor('1.5', 'JPY')).toBeNull();
    expect(decimalToMinor('1.234', 'EUR')).toBeNull();
    expect(decimalToMinor('ten', 'EUR')).toBeNull();
  });
});

it('below zero is said in words', () => {
  expect(formatLeft(3, 40)).toBe('3/40');
  expect(formatLeft(-1, 12)).toBe('over by 1');
});

it('an instant is shown by the hotel’s clock, not the desk’s', () => {
  expect(formatClock('2026-11-30T13:02:00Z', 'Europe/Madrid')).toBe('14:02');
  expect(formatClock('2026-11-30T23:30:00Z', 'Europe/Madrid')).toBe('00:30');
});

it('a party is short in columns', () => {
  expect(formatPartyShort(2, 0)).toBe('2');
  expect(formatPartyShort(2, 1)).toBe('2+1');
});
