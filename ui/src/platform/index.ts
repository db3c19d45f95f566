// The one folder that knows in what the screens run. In the window, calls go to the desk through
// Tauri; in a browser, to the loopback address that served the page.

export interface Platform {
  /** Calls the desk. Answers its JSON; a refusal is thrown as it came. */
  rpc(method: string, body: unknown): Promise<unknown>;
}

function inWindow(): boolean {
  return '__TAURI_INTERNALS__' in globalThis;
}

const windowPlatform: Platform = {
  async rpc(method, body) {
    const { invoke } = await import('@tauri-apps/api/core');
    return invoke('rpc', { method, body });
  },
};

const webPlatform: Platform = {
  async rpc(method, body) {
    // Relative on purpose: the page is served under a prefix with a token in it.
    const response = await fetch(`rpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw answer;
    return answer;
  },
};

let chosen: Platform | null = null;

/** What the program runs in. */
export function platform(): Platform {
  chosen ??= inWindow() ? windowPlatform : webPlatform;
  return chosen;
}

/** For tests and the screens' own development. */
export function setPlatform(other: Platform): void {
  chosen = other;
}
