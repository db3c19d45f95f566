import { expect, test } from '../bed/desk';
import { hotel, user } from '../bed/hotel';

test('sign in: a wrong password is said, the right one brings the first copy and Today', async ({ openDesk }) => {
  const { page } = await openDesk();
  const { name, password } = user('front_desk');
  await page.getByTestId('sign-in-server').fill(hotel().server);
  await page.getByTestId('sign-in-name').fill(name);
  await page.getByTestId('sign-in-password').fill('not the password');
  await page.getByTestId('sign-in-button').click();
  await expect(page.getByTestId('problem')).toBeVisible();

  await page.getByTestId('sign-in-password').fill(password);
  await page.getByTestId('sign-in-button').click();
  await expect(page.getByTestId('place-today')).toBeVisible({ timeout: 45_000 });
  await expect(page.getByTestId('strip-user')).not.toBeEmpty();
});
