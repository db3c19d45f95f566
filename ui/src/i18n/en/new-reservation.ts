/** New reservation and walk-in. */
export const newReservation = {
  'new.title': 'New reservation',
} as const;
