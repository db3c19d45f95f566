import { describe, expect, it } from 'vitest';
import type { GuestRow } from '../../generated/GuestRow';
import { likelyGuests } from './likely-guests';

const guest = (id: string, name: string, email: string | null, phone: string | null): GuestRow => ({
  id,
  version: 1,
  name,
  email,
  phone,
  company: null,
  language: null,
  country: null,
  notes: '',
  vip: false,
  erased: false,
});

const typed = (name: string, email = '', phone = '') => ({ name, email, phone });

describe('likely profiles', () => {
  it('b100_compares_case_of_email_but_not_its_plus_and_phones_by_their_end', () => {
    const ana = guest('1', 'Ana', 'Ana@X.com', '+34 600 000 001');
    const work = guest('2', 'Ana', 'ana+work@x.com', null);
    const ids = (email: string, phone: string) =>
      likelyGuests(typed('', email, phone), [ana, work]).map((one) => one.guest.id);
    expect(ids('ana@x.com', '')).toEqual(['1']);
    expect(ids('ana+work@x.com', '')).toEqual(['2']);
    expect(ids('', '0034600000001')).toEqual(['1']);
    expect(ids('', '600000001')).toEqual(['1']);
    expect(ids('', '007123')).toEqual([]);
  });

  it('b94_finds_names_whatever_their_accents_form_or_order', () => {
    const garcia = guest('1', 'García, Ana', null, null);
    const nfd = guest('2', 'Zoë Müller'.normalize('NFD'), null, null);
    expect(likelyGuests(typed('ana garcia'), [garcia]).map((one) => one.why)).toEqual([
      ['same_name'],
    ]);
    expect(likelyGuests(typed('Zoë Müller'), [nfd])).toHaveLength(1);
    expect(likelyGuests(typed('Ana'), [garcia])).toEqual([]);
  });

  it('puts who agrees in more first and never offers a forgotten person', () => {
    const both = guest('1', 'Ana Lopez', 'a@x.com', null);
    const one = guest('2', 'Ana Lopez', null, null);
    const gone = { ...guest('3', 'Ana Lopez', 'a@x.com', null), erased: true };
    expect(
      likelyGuests(typed('Ana Lopez', 'a@x.com'), [one, gone, both]).map((found) => found.guest.id),
    ).toEqual(['1', '2']);
  });
});
