// The line of facts at the bottom: a small store of its own, so that a pointer moving over bars redraws
// one line and nothing of the chart.
export class FactLine {
  private text = '';
  private readonly listeners = new Set<() => void>();

  get = (): string => this.text;

  set(text: string): void {
    if (text === this.text) return;
    this.text = text;
    for (const listener of this.listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}
