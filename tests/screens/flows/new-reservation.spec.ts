import type { FindAnswer } from '../../../ui/src/generated/FindAnswer';
import type { QuoteAnswer } from '../../../ui/src/generated/QuoteAnswer';
import type { QuoteType } from '../../../ui/src/generated/QuoteType';
import type { Status } from '../../../ui/src/generated/Status';
import { type Desk, expect, test } from '../bed/desk';
import { reservation } from '../bed/guests';
import { user } from '../bed/hotel';

interface Offer {
  checkIn: string;
  checkOut: string;
  type: QuoteType;
}

/** Two nights, so many days ahead or a little later, in a type of which so many are left. */
async function offer(desk: Desk, daysAhead: number, least: number): Promise<Offer> {
  const { hotel } = await desk.rpc<Status>('status.get', {});
  if (!hotel) throw new Error('no copy');
  for (let day = daysAhead; day < daysAhead + 60; day += 1) {
    const checkIn = addDays(hotel.business_date, day);
    const checkOut = addDays(checkIn, 2);
    const quote = await desk.rpc<QuoteAnswer>('quote.get', {
      check_in: checkIn,
      check_out: checkOut,
      rooms: 1,
    });
    const type = quote.types.find(
      (one) => one.left >= least && one.total !== null && one.restrictions.length === 0,
    );
    if (type) return { checkIn, checkOut, type };
  }
  throw new Error('nothing is for sale');
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

async function openForm(desk: Desk): Promise<void> {
  await expect(desk.page.getByTestId('place-today')).toBeVisible();
  await desk.page.keyboard.press('F2');
  await expect(desk.page.getByTestId('new-res-dates')).toBeFocused();
}

test('make a reservation to the end by the keyboard, and another desk sees it', async ({
  desk,
  openDesk,
}) => {
  const other = await openDesk(user('manager'));
  const { page } = desk;
  const { checkIn, checkOut, type } = await offer(desk, 40, 2);
  await openForm(desk);
  await page.keyboard.type(`${checkIn} 2n ${type.room_type.code.toLowerCase()}`);
  await expect(page.getByTestId(`type-row-${type.room_type.code}`)).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('hold-note')).toContainText('Held by you');
  await expect(page.getByTestId('guest-name')).toBeFocused();
  await page.keyboard.type('Zoë Ångström-Țepeș 🙂');
  await page.keyboard.press('Control+Enter');

  const number = page.getByTestId('confirmation-number');
  await expect(number).toHaveText(/\S{4,}/);
  await expect(page.getByTestId('new-res-dates')).toBeFocused();
  await expect(page.getByTestId('new-res-dates')).toHaveValue('');
  const text = (await number.textContent()) ?? '';
  await expect
    .poll(async () => {
      const found = await other.rpc<FindAnswer>('find', { text, limit: 5 });
      const stay = found.stays.find((one) => one.number === text);
      return stay
        ? `${stay.state} ${stay.guest_name} ${stay.check_in} ${stay.check_out} ${stay.type_code}`
        : '';
    })
    .toBe(`confirmed Zoë Ångström-Țepeș 🙂 ${checkIn} ${checkOut} ${type.room_type.code}`);
});

test('b10 a hold left over from a reload is found again, and swapped, never doubled', async ({
  desk,
}) => {
  const { page } = desk;
  const { checkIn, type } = await offer(desk, 60, 3);
  const mine = async (): Promise<number> => {
    const quote = await desk.rpc<QuoteAnswer>('quote.get', {
      check_in: checkIn,
      check_out: addDays(checkIn, 1),
      rooms: 1,
    });
    return quote.types.find((one) => one.room_type.id === type.room_type.id)?.left ?? 0;
  };
  const before = await mine();
  await openForm(desk);
  await page.keyboard.type(`${checkIn} 1n ${type.room_type.code}`);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('hold-note')).toContainText('Held by you');
  await expect.poll(mine).toBe(before - 1);

  await page.reload();
  await expect(page.getByTestId('hold-note')).toContainText('Held by you until');
  await expect(page.getByTestId('new-res-dates')).toHaveValue(new RegExp(`^${checkIn} `));
  expect(await mine()).toBe(before - 1);

  // Other dates: the old nights are given back.
  await page.getByTestId('new-res-dates').fill(`${addDays(checkIn, 1)} 1n ${type.room_type.code}`);
  await page.keyboard.press('Enter');
  await expect.poll(mine).toBe(before);
  await expect(page.getByTestId('hold-note')).toContainText('Held by you');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('place-today')).toBeVisible();
});

test('leaving the form gives the rooms back', async ({ desk }) => {
  const { page } = desk;
  const { checkIn, checkOut, type } = await offer(desk, 90, 2);
  await openForm(desk);
  await page.keyboard.type(`${checkIn} 2n`);
  await page.keyboard.press('Enter');
  await page.getByTestId(`type-row-${type.room_type.code}`).click();
  await expect(page.getByTestId('hold-note')).toContainText('Held by you');
  const record = await page.evaluate(() => localStorage.getItem('nightdesk.hold'));
  const id = (JSON.parse(record ?? '{}') as { reservationIds: string[] }).reservationIds[0] ?? '';
  expect((await reservation(desk, id)).line.state).toBe('held');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await reservation(desk, id)).line.state).toBe('cancelled');
  // What was typed is still there.
  await page.keyboard.press('F2');
  await expect(page.getByTestId('new-res-dates')).toHaveValue(`${checkIn} 2n`);
  expect(checkOut > checkIn).toBe(true);
});

test('sold out names the nights and offers what is near', async ({ desk, openDesk }) => {
  const other = await openDesk(user('manager'));
  const { page } = desk;
  const { checkIn, checkOut, type } = await offer(desk, 120, 1);
  const rooms = Array.from({ length: type.left }, () => ({
    reservation_id: null,
    room_type_id: type.room_type.id,
    check_in: checkIn,
    check_out: checkOut,
    adults: 1,
    children: [],
    guest_id: null,
    rate_plan_id: null,
    price: null,
    segment: null,
    day_use: false,
  }));
  const outcome = await other.rpc<{ outcome: string }>('command.submit', {
    id: crypto.randomUUID(),
    command: {
      verb: 'hold',
      body: { booking_id: null, channel: 'desk', external_id: null, minutes: null, rooms },
    },
    wait_ms: 10_000,
  });
  expect(outcome.outcome).toBe('done');
  await openForm(desk);
  await page.keyboard.type(`${checkIn} 2n ${type.room_type.code}`);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('sold-out')).toContainText('is sold out on');
  await page.getByTestId('alternative').first().click();
  await expect(page.getByTestId('hold-note')).toContainText('Held by you');
  await page.getByTestId('release-hold').click();
  await expect(page.getByTestId('hold-note')).not.toContainText('Held by you');
});

test('b92 typed dates are read or refused, never guessed', async ({ desk }) => {
  const { page } = desk;
  await openForm(desk);
  const line = page.getByTestId('new-res-dates');
  await line.fill('06/10 2n');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('new-res-reading')).toContainText('can be read in two ways');
  await expect(page.getByTestId('date-reading')).toHaveCount(2);
  await line.fill('29.02.2027 1n');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('new-res-reading')).toContainText('does not exist');
  await page.getByTestId('pick-dates').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Enter');
  // The arrival chosen, the calendar itself goes one day on.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByTestId('new-res-reading')).toContainText('2 nights');
});

test('the first F2 takes what is typed at once; the next one replaces it', async ({ desk }) => {
  const { page } = desk;
  const { checkIn } = await offer(desk, 150, 1);
  // The screens load the form's file ahead; until then there is nothing to be quick about.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some((one) => one.name.includes('/new-reservation-')),
  );
  await page.keyboard.press('F2');
  await expect(page.getByTestId('new-res-dates')).toBeFocused({ timeout: 250 });
  await page.keyboard.type(`${checkIn} 2n`);
  await expect(page.getByTestId('new-res-dates')).toHaveValue(`${checkIn} 2n`);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('place-today')).toBeVisible();
  await page.keyboard.press('F2');
  await expect(page.getByTestId('new-res-dates')).toBeFocused();
  await page.keyboard.type('today 1n');
  await expect(page.getByTestId('new-res-dates')).toHaveValue('today 1n');
});
