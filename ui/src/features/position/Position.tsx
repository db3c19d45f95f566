export function Position() {
  return null;
}
