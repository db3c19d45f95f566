export function ReservationPanel(_: { id: string }) {
  return null;
}
