export function Tasks() {
  return null;
}
