import { expect, test } from '../bed/desk';
import { normalGuest, reservation } from '../bed/guests';
import { user } from '../bed/hotel';

test('check in a normal guest with the suggested room in three keystrokes, and another desk sees it', async ({
  desk,
  openDesk,
}) => {
  const other = await openDesk(user('manager'));
  const { page } = desk;
  const { line, first } = await normalGuest(desk);
  await page.getByTestId('today-filter').fill(line.number);
  const row = page.getByTestId(`today-row-${line.number}`);
  await expect(row).toBeVisible();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('check-in')).toBeVisible();
  await expect(page.getByTestId(`room-${first.room.number}`)).toBeVisible();
  await expect(page.getByTestId('check-in-button')).toBeEnabled();
  await page.keyboard.press('Enter');

  await expect(page.getByTestId('place-today')).toBeVisible();
  await expect(page.getByTestId('toasts')).toContainText(first.room.number);
  await expect(row).toHaveCount(0);
  await expect
    .poll(async () => {
      const { line: now } = await reservation(other, line.id);
      return `${now.state} ${now.room_number}`;
    })
    .toBe(`checked_in ${first.room.number}`);
  const mine = await reservation(desk, line.id);
  expect(mine.line.unsent, 'the server has answered').toBe(false);
});

test('check in with another room than the first suggested', async ({ desk }) => {
  const { page } = desk;
  const { line } = await normalGuest(desk);
  await page.evaluate((id) => (location.hash = `#/check-in/${id}`), line.id);
  await expect(page.getByTestId('check-in-button')).toBeEnabled();
  const rooms = page.getByTestId('rooms').getByRole('option');
  await expect(rooms.nth(1)).toBeVisible();
  await page.keyboard.press('ArrowDown');
  const chosen = page.getByTestId('rooms').locator('[aria-selected="true"]');
  const number = ((await chosen.getAttribute('data-testid')) ?? '').replace('room-', '');
  expect(number).not.toBe('');
  await page.getByTestId('check-in-button').click();
  // A room that is not clean asks first.
  const asked = page.getByRole('alert');
  await expect(page.getByTestId('place-today').or(asked)).toBeVisible();
  if (await asked.isVisible()) await page.getByTestId('check-in-button').click();
  await expect(page.getByTestId('place-today')).toBeVisible();
  await expect.poll(async () => (await reservation(desk, line.id)).line.room_number).toBe(number);
});
