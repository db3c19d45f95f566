// What every screen needs of the hotel: its open day, its money, its clock.
import { createContext, use } from 'react';
import type { HotelRow } from '../generated/HotelRow';
import type { Session } from '../generated/Session';
import type { Status } from '../generated/Status';

export interface House {
  hotel: HotelRow;
  status: Status;
  session: Session;
}

export const HouseContext = createContext<House | null>(null);

/** The hotel, the strip and who is signed in; only inside the places. */
export function useHouse(): House {
  const house = use(HouseContext);
  if (!house) throw new Error('useHouse outside the shell');
  return house;
}
