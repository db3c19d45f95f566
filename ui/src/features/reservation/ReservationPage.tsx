export function ReservationPage() {
  return null;
}
