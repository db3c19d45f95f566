// A desk of one's own for each test: its own copy, its own page.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Page, test as base, expect } from '@playwright/test';

import { Running, builtScreens } from './child';
import { type User, hotel, user } from './hotel';

export { expect };

export interface Desk {
  page: Page;
  /** Calls the desk as the screens do. */
  rpc<T>(method: string, body: unknown): Promise<T>;
}

export interface Beds {
  /** Opens another desk: nobody is signed in, or that user is and the first copy is there. */
  openDesk(signedIn?: User): Promise<Desk>;
  /** A desk of the front desk, in sync. */
  desk: Desk;
}

export const test = base.extend<Beds>({
  openDesk: async ({ browser, contextOptions }, use) => {
    const undo: (() => Promise<unknown>)[] = [];
    await use(async (signedIn) => {
      const data = await mkdtemp(path.join(tmpdir(), 'nightdesk-desk-'));
      undo.push(() => rm(data, { recursive: true, force: true }));
      const env: NodeJS.ProcessEnv = { ...process.env, NIGHTDESK_DESK_DATA: data };
      if (signedIn) {
        env.NIGHTDESK_SERVER = hotel().server;
        env.NIGHTDESK_NAME = signedIn.name;
        env.NIGHTDESK_PASSWORD = signedIn.password;
      }
      const args = ['--listen', '127.0.0.1:0', '--ui', builtScreens()];
      const running = await Running.start('desk-web', args, env);
      undo.push(() => running.stop());
      const context = await browser.newContext(contextOptions);
      undo.push(() => context.close());
      const page = await context.newPage();
      const desk: Desk = {
        page,
        async rpc<T>(method: string, body: unknown): Promise<T> {
          const response = await context.request.post(`${running.address}rpc/${method}`, {
            data: body,
            headers: { origin: new URL(running.address).origin },
          });
          expect(response.ok(), `${method}: ${await response.text()}`).toBe(true);
          return (await response.json()) as T;
        },
      };
      if (signedIn) await inSync(desk);
      await page.goto(running.address);
      // A key that is pressed before the screens listen would be the browser's.
      if (signedIn) await expect(page.getByTestId('today-rows')).toBeVisible();
      return desk;
    });
    for (const step of undo.reverse()) await step();
  },
  desk: async ({ openDesk }, use) => {
    await use(await openDesk(user('front_desk')));
  },
});

/** Waits for the first copy. */
async function inSync(desk: Desk): Promise<void> {
  await expect
    .poll(async () => (await desk.rpc<{ sync: { phase: string } }>('status.get', {})).sync.phase, {
      timeout: 45_000,
    })
    .toBe('in_sync');
}
