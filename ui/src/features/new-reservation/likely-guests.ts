/**
 * Which profiles may be the person being typed. Only ever a suggestion: two people share a name, and an
 * address with a plus is another address (B100). Nothing is merged here.
 */
import type { GuestRow } from '../../generated/GuestRow';

export type Likeness = 'same_email' | 'same_phone' | 'same_name';

export interface LikelyGuest {
  guest: GuestRow;
  why: Likeness[];
}

export interface TypedGuest {
  name: string;
  email: string;
  phone: string;
}

/** Fewer digits than this are no telephone number to compare by. */
const PHONE_DIGITS_MIN = 7;
const PHONE_DIGITS_COMPARED = 9;

/** Without accents and case, one space between words; for comparing, never for keeping. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[\s,.'’-]+/g, ' ')
    .trim();
}

/** `García, Ana` and `ana garcia` are one name. */
function nameKey(name: string): string {
  return folded(name).split(' ').sort().join(' ');
}

function phoneKey(phone: string): string | undefined {
  const digits = phone.replace(/\D/g, '');
  return digits.length < PHONE_DIGITS_MIN ? undefined : digits.slice(-PHONE_DIGITS_COMPARED);
}

export function likelyGuests(typed: TypedGuest, found: readonly GuestRow[]): LikelyGuest[] {
  const name = nameKey(typed.name);
  const email = typed.email.trim().toLowerCase();
  const phone = phoneKey(typed.phone);
  return found
    .filter((guest) => !guest.erased)
    .map((guest) => {
      const why: Likeness[] = [];
      if (email !== '' && guest.email?.trim().toLowerCase() === email) why.push('same_email');
      if (phone !== undefined && guest.phone !== null && phoneKey(guest.phone) === phone)
        why.push('same_phone');
      if (name !== '' && nameKey(guest.name) === name) why.push('same_name');
      return { guest, why };
    })
    .filter((one) => one.why.length > 0)
    .sort(
      (left, right) =>
        right.why.length - left.why.length || Number(right.guest.vip) - Number(left.guest.vip),
    );
}
