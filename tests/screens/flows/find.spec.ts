import type { Today } from '../../../ui/src/generated/Today';
import { expect, test } from '../bed/desk';

test('find a guest by a part of the name, without accents or case, and open the stay', async ({ desk }) => {
  const { page } = desk;
  const today = await desk.rpc<Today>('today.get', {});
  const accented = /\p{Diacritic}/u;
  const named = today.in_house.filter((line) => line.guest_name.length > 5);
  const line = named.find((one) => accented.test(one.guest_name.normalize('NFD'))) ?? named[0];
  if (!line) throw new Error('nobody is in house');
  const typed = line.guest_name.normalize('NFD').replace(/\p{Diacritic}/gu, '').toLowerCase().slice(1);

  await page.keyboard.press('Control+k');
  await page.getByTestId('find-input').fill(typed);
  const stay = page.getByTestId('find-stay').filter({ hasText: line.guest_name }).first();
  await expect(stay).toBeVisible();
  await stay.click();
  await expect(page.getByTestId('reservation-page')).toBeVisible();
  await expect(page.getByTestId('reservation-page')).toContainText(line.guest_name);
});

test('find a stay by its number with the keyboard alone', async ({ desk }) => {
  const { page } = desk;
  const today = await desk.rpc<Today>('today.get', {});
  const line = today.in_house[0];
  if (!line) throw new Error('nobody is in house');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(line.number);
  await expect(page.getByTestId('find-stay').first()).toContainText(line.number);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('reservation-number')).toHaveText(line.number);
});
