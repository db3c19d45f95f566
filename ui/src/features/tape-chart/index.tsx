export function TapeChart() {
  return null;
}
