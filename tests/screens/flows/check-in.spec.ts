import { expect, test } from '../bed/desk';
import { normalGuest, reservation } from '../bed/guests';
import { user } from '../bed/hotel';

test('check in a normal guest with the suggested room in three keystrokes, and another desk sees it', async ({
  desk,
  openDesk,
}) => {
  const other = await openDesk(user('manager'));
  const { page } = desk;
  const { line, rooms } = await normalGuest(desk);
  const number = rooms[0]?.room.number ?? '';
  await page.getByTestId('today-filter').fill(line.number);
  const row = page.getByTestId(`today-row-${line.number}`);
  await expect(row).toBeVisible();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('check-in')).toBeVisible();
  await expect(page.getByTestId(`room-${number}`)).toBeVisible();
  await expect(page.getByTestId('check-in-button')).toBeEnabled();
  await page.keyboard.press('Enter');

  await expect(page.getByTestId('place-today')).toBeVisible();
  await expect(page.getByTestId('toasts')).toContainText(number);
  await expect(row).toHaveCount(0);
  await expect
    .poll(async () => {
      const { line: now } = await reservation(other, line.id);
      return `${now.state} ${now.room_number}`;
    })
    .toBe(`checked_in ${number}`);
  const mine = await reservation(desk, line.id);
  expect(mine.line.unsent, 'the server has answered').toBe(false);
});

test('check in with another room than the first suggested, by the mouse', async ({ desk }) => {
  const { page } = desk;
  const { line, rooms } = await normalGuest(desk, 2);
  const number = rooms[1]?.room.number ?? '';
  await page.evaluate((id) => {
    location.hash = `#/check-in/${id}`;
  }, line.id);
  await page.getByTestId(`room-${number}`).click();
  await expect(page.getByTestId('check-in-button')).toContainText(number);
  await page.getByTestId('check-in-button').click();
  await expect(page.getByTestId('place-today')).toBeVisible();
  await expect.poll(async () => (await reservation(desk, line.id)).line.room_number).toBe(number);
});
