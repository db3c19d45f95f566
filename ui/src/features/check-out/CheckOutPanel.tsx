export function CheckOutPanel(_: { id: string }) {
  return null;
}
