// A picture of every screen and its states, in the two sizes that front desks have, light and dark.

import path from 'node:path';

import type { Page } from '@playwright/test';

import type { QuoteAnswer } from '../../../ui/src/generated/QuoteAnswer';
import type { Status } from '../../../ui/src/generated/Status';
import type { Today } from '../../../ui/src/generated/Today';
import { type Desk, expect, test } from '../bed/desk';
import { normalGuest } from '../bed/guests';
import { user } from '../bed/hotel';

const SIZES = [
  { width: 1366, height: 768 },
  { width: 1920, height: 1080 },
];
const THEMES = ['light', 'dark'] as const;
/** The longest that one picture may take before its test says which it was. */
const PICTURE_MS = 15_000;
const dir = process.env.NIGHTDESK_SHOTS ?? 'test-results/shots';

async function take(page: Page, name: string): Promise<void> {
  for (const size of SIZES) {
    for (const colorScheme of THEMES) {
      const file = `${name}-${size.width}x${size.height}-${colorScheme}.png`;
      await test.step(file, () => picture(page, size, colorScheme, file), { timeout: PICTURE_MS });
    }
  }
}

async function picture(
  page: Page,
  size: { width: number; height: number },
  colorScheme: (typeof THEMES)[number],
  file: string,
): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  // Letters and what still loads belong to the picture.
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.waitForTimeout(250);
  await page.screenshot({ path: path.join(dir, file), timeout: PICTURE_MS });
}

async function go(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

/** One screen with its pictures: a failure names it, and the others are taken all the same. */
function screen(name: string, role: string, arrive: (desk: Desk) => Promise<void>): void {
  test(name, async ({ openDesk }) => {
    test.setTimeout(90_000);
    const desk = await openDesk(user(role));
    await arrive(desk);
    await take(desk.page, name);
  });
}

test('sign-in', async ({ openDesk }) => {
  const { page } = await openDesk();
  await expect(page.getByTestId('sign-in-button')).toBeVisible();
  await take(page, 'sign-in');
});

test('sign-in refused', async ({ openDesk }) => {
  const { page } = await openDesk();
  await page.getByTestId('sign-in-server').fill('http://127.0.0.1:9');
  await page.getByTestId('sign-in-name').fill('ana');
  await page.getByTestId('sign-in-password').fill('not the one');
  await page.getByTestId('sign-in-button').click();
  await expect(page.getByRole('alert').first()).toBeVisible();
  await take(page, 'sign-in-refused');
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

const LISTS = ['due_in', 'unassigned', 'on_hold', 'in_house', 'due_out', 'departed', 'over_limit'] as const;
for (const list of LISTS) {
  screen(`today-${list.replace('_', '-')}`, 'front_desk', async ({ page }) => {
    await page.getByTestId(`today-list-${list}`).click();
    await expect(page.getByTestId(`today-list-${list}`)).toHaveAttribute('aria-current', 'true');
  });
}

screen('today-offline', 'front_desk', async ({ page }) => {
  await page.route('**/rpc/status.get', async (route) => {
    const answer = (await (await route.fetch()).json()) as Status;
    const sync = { phase: 'offline', since: new Date(Date.now() - 25 * 60_000).toISOString() };
    await route.fulfill({ json: { ...answer, sync, unsent: 2 } });
  });
  await page.reload();
  await expect(page.getByTestId('today-rows')).toBeVisible();
});

screen('check-out', 'front_desk', async (desk) => {
  const { due_out: dueOut, in_house: inHouse } = await desk.rpc<Today>('today.get', {});
  await go(desk.page, `#/today/due_out?panel=check-out:${(dueOut[0] ?? inHouse[0])?.id}`);
  await expect(desk.page.getByTestId('check-out-panel')).toBeVisible();
});

screen('tape-chart', 'front_desk', async ({ page }) => {
  await go(page, '#/chart');
  await expect(page.getByTestId('tape-chart')).toBeVisible();
});

screen('tape-chart-reservation', 'front_desk', async (desk) => {
  await go(desk.page, `#/chart?panel=reservation:${await inHouse(desk)}`);
  await expect(desk.page.getByTestId('reservation-panel')).toBeVisible();
});

screen('check-in', 'front_desk', async (desk) => {
  const { line } = await normalGuest(desk);
  await go(desk.page, `#/check-in/${line.id}`);
  await expect(desk.page.getByTestId('check-in-button')).toBeEnabled();
});

screen('reservation', 'front_desk', async (desk) => {
  await go(desk.page, `#/reservation/${await inHouse(desk)}`);
  await expect(desk.page.getByTestId('reservation-page')).toBeVisible();
});

// A manager sees every act.
for (const form of ['guest', 'edit', 'assign', 'cancel', 'no-show'] as const) {
  screen(`reservation-${form}`, 'manager', async (desk) => {
    const { line } = await normalGuest(desk);
    await go(desk.page, `#/reservation/${line.id}`);
    await desk.page.getByTestId(`stay-${form}`).click();
    await expect(desk.page.getByTestId(`stay-${form}`)).toBeHidden();
  });
}

screen('new-reservation', 'front_desk', async ({ page }) => {
  await go(page, '#/new');
  await expect(page.getByTestId('place-new')).toBeVisible();
});

screen('new-reservation-held', 'front_desk', async (desk) => {
  const { page } = desk;
  const today = await desk.rpc<Status>('status.get', {});
  const day = today.hotel?.business_date ?? '';
  const checkIn = later(day, 45);
  const quote = await desk.rpc<QuoteAnswer>('quote.get', {
    check_in: checkIn,
    check_out: later(day, 47),
    rooms: 1,
  });
  const type = quote.types.find((one) => one.left > 0);
  await page.keyboard.press('F2');
  await expect(page.getByTestId('new-res-dates')).toBeFocused();
  await page.keyboard.type(`${checkIn} 2n ${type?.room_type.code.toLowerCase()}`);
  await expect(page.getByTestId(`type-row-${type?.room_type.code}`)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('hold-note')).toBeVisible();
});

screen('position', 'front_desk', async ({ page }) => {
  await go(page, '#/position');
  await expect(page.getByTestId('position')).toBeVisible();
});

screen('tasks-empty', 'front_desk', async ({ page }) => {
  await go(page, '#/tasks');
  await expect(page.getByTestId('tasks')).toBeVisible();
});

screen('find', 'front_desk', async ({ page }) => {
  await page.keyboard.press('Control+k');
  await page.getByTestId('find-input').fill('an');
  await expect(page.getByTestId('find-stay').first()).toBeVisible();
});

screen('find-nothing', 'front_desk', async ({ page }) => {
  await page.keyboard.press('Control+k');
  await page.getByTestId('find-input').fill('qqqxxqqq');
  await expect(page.getByTestId('find-stay')).toHaveCount(0);
});

async function inHouse(desk: Desk): Promise<string> {
  const today = await desk.rpc<Today>('today.get', {});
  const line = today.in_house[0];
  if (!line) throw new Error('nobody is in house');
  return line.id;
}

/** That many days after a date. */
function later(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

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
