export function NewReservation() {
  return null;
}
