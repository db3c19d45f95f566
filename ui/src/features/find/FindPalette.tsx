export function FindPalette(_: { onClose: () => void }) {
  return null;
}
