import type { Role } from '../../generated/Role';
import type { StayLine } from '../../generated/StayLine';

export type Mode = 'view' | 'assign' | 'edit' | 'guest' | 'cancel' | 'no_show';

const MODES: readonly Mode[] = ['view', 'assign', 'edit', 'guest', 'cancel', 'no_show'];

/** A mode by the word in an address. */
export function modeOf(word: string | null): Mode {
  return MODES.find((mode) => mode === word) ?? 'view';
}

export interface Possible {
  checkIn: boolean;
  checkOut: boolean;
  assign: boolean;
  edit: boolean;
  cancel: boolean;
  noShow: boolean;
}

/** What may be done with a stay as it stands; the server decides in the end. */
export function possible(line: StayLine, businessDate: string, role: Role): Possible {
  const confirmed = line.state === 'confirmed';
  const inHouse = line.state === 'checked_in';
  return {
    checkIn: confirmed && line.check_in <= businessDate && line.check_out >= businessDate,
    checkOut: inHouse,
    assign: confirmed || inHouse,
    edit: confirmed || inHouse || line.state === 'held',
    cancel: confirmed || line.state === 'held',
    // Before the day is closed it is a manager's; at the close it is asked of everybody who is missing.
    noShow: confirmed && line.check_in <= businessDate && (role === 'manager' || role === 'admin'),
  };
}

/** The modes that have a form of their own. */
export function isAllowed(mode: Mode, can: Possible): boolean {
  switch (mode) {
    case 'view':
      return true;
    case 'assign':
      return can.assign;
    case 'edit':
    case 'guest':
      return can.edit;
    case 'cancel':
      return can.cancel;
    case 'no_show':
      return can.noShow;
  }
}
