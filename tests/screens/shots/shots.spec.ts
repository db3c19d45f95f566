// A picture of every screen, in the two sizes that front desks have, light and dark.

import path from 'node:path';

import type { Page } from '@playwright/test';

import type { Today } from '../../../ui/src/generated/Today';
import { expect, test } from '../bed/desk';
import { normalGuest } from '../bed/guests';
import { user } from '../bed/hotel';

const SIZES = [
  { width: 1366, height: 768 },
  { width: 1920, height: 1080 },
];
const THEMES = ['light', 'dark'] as const;
const dir = process.env.NIGHTDESK_SHOTS ?? 'test-results/shots';

async function take(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Letters and what still loads belong to the picture.
      await page.evaluate(() => document.fonts.ready.then(() => undefined));
      await page.waitForTimeout(250);
      const file = `${name}-${size.width}x${size.height}-${colorScheme}.png`;
      await page.screenshot({ path: path.join(dir, file) });
    }
  }
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

test('sign-in', async ({ openDesk }) => {
  const { page } = await openDesk();
  await expect(page.getByTestId('sign-in-button')).toBeVisible();
  await take(page, 'sign-in');
});

test('first sync', async ({ openDesk }) => {
  const { page } = await openDesk();
  // The true one is over before a picture is taken.
  await page.route('**/rpc/session.get', (route) => route.fulfill({ json: SIGNED_IN }));
  await page.route('**/rpc/status.get', (route) => route.fulfill({ json: LOADING }));
  await page.reload();
  await expect(page.getByTestId('first-sync')).toBeVisible();
  await take(page, 'first-sync');
});

test('every place', async ({ openDesk }) => {
  test.setTimeout(300_000);
  const desk = await openDesk(user('front_desk'));
  const { page } = desk;
  const today = await desk.rpc<Today>('today.get', {});
  const { line } = await normalGuest(desk);
  const inHouse = today.in_house[0]?.id ?? line.id;
  const dueOut = today.due_out[0]?.id ?? inHouse;

  await expect(page.getByTestId('today-rows')).toBeVisible();
  await take(page, 'today');
  await page.getByTestId('today-list-in_house').click();
  await take(page, 'today-in-house');
  await go(page, `#/today/due_out?panel=check-out:${dueOut}`);
  await expect(page.getByTestId('check-out-panel')).toBeVisible();
  await take(page, 'check-out');
  await go(page, '#/chart');
  await expect(page.getByTestId('tape-chart')).toBeVisible();
  await take(page, 'tape-chart');
  await go(page, `#/chart?panel=reservation:${inHouse}`);
  await expect(page.getByTestId('reservation-panel')).toBeVisible();
  await take(page, 'tape-chart-reservation');
  await go(page, `#/check-in/${line.id}`);
  await expect(page.getByTestId('check-in-button')).toBeEnabled();
  await take(page, 'check-in');
  await go(page, `#/reservation/${inHouse}`);
  await expect(page.getByTestId('reservation-page')).toBeVisible();
  await take(page, 'reservation');
  await go(page, '#/new');
  await expect(page.getByTestId('place-new')).toBeVisible();
  await take(page, 'new-reservation');
  await go(page, '#/position');
  await expect(page.getByTestId('position')).toBeVisible();
  await take(page, 'position');
  await go(page, '#/tasks');
  await expect(page.getByTestId('tasks')).toBeVisible();
  await take(page, 'tasks');
  await go(page, '#/today/due_in');
  await page.keyboard.press('Control+k');
  await page.getByTestId('find-input').fill('an');
  await expect(page.getByTestId('find-stay').first()).toBeVisible();
  await take(page, 'find');
});

const SIGNED_IN = {
  user: {
    staff_id: '00000000-0000-4000-8000-000000000001',
    display_name: 'Ana',
    role: 'front_desk',
    hotel_id: '00000000-0000-4000-8000-000000000002',
    hotel_name: 'Hotel Miramar',
  },
  server: 'http://127.0.0.1:7080',
  last_name: 'ana',
  device_name: 'Front desk 1',
  keyring_problem: null,
};

const LOADING = {
  sync: { phase: 'first_sync', done: 41_300, total: 96_800 },
  hotel: null,
  unsent: 0,
  tasks: 0,
  cursor: 0,
  tonight: [],
  day_overdue: false,
};
