import type { Catalogue } from '../../../ui/src/generated/Catalogue';
import type { Chart } from '../../../ui/src/generated/Chart';
import type { RoomRow } from '../../../ui/src/generated/RoomRow';
import type { StayLine } from '../../../ui/src/generated/StayLine';
import { type Desk, expect, test } from '../bed/desk';
import { reservation } from '../bed/guests';

const NIGHTS = 7;

/** Somebody without a room in the next days, a room that is free for the stay, and one that is not. */
async function waiting(
  desk: Desk,
  skip: number,
): Promise<{ stay: StayLine; free: RoomRow; taken: RoomRow }> {
  const { business_date: from } = await desk.rpc<{ business_date: string }>('today.get', {});
  const chart = await desk.rpc<Chart>('chart.get', { from, nights: NIGHTS });
  let left = skip;
  for (const stay of chart.unassigned) {
    if (
      stay.state !== 'confirmed' ||
      stay.guest_name === '' ||
      // A party shares one number: its bars could not be told apart.
      stay.party_rooms !== 1 ||
      stay.over_limit ||
      stay.check_out > addDays(from, NIGHTS)
    )
      continue;
    const used = (room: RoomRow) =>
      chart.bars.some(
        (bar) => bar.room_id === room.id && bar.from < stay.check_out && stay.check_in < bar.until,
      );
    const rooms = chart.rooms.filter(
      (room) => room.active && room.room_type_id === stay.room_type_id,
    );
    const free = rooms.find((room) => !used(room));
    const taken = rooms.find((room) =>
      chart.bars.some(
        (bar) =>
          bar.room_id === room.id &&
          bar.kind === 'stay' &&
          bar.from < stay.check_out &&
          stay.check_in < bar.until,
      ),
    );
    if (!free || !taken) continue;
    if (left === 0) return { stay, free, taken };
    left -= 1;
  }
  throw new Error(`none of ${chart.unassigned.length} can be given a room`);
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

/** Opens the chart; with a stay, only the rooms of its type are unfolded. */
async function openChart(desk: Desk, stay?: StayLine): Promise<void> {
  // Until the screens are there, F5 belongs to the browser.
  await expect(desk.page.getByTestId('place-today')).toBeVisible();
  if (stay) {
    const { types } = await desk.rpc<Catalogue>('catalogue.get', {});
    const others = types.filter((type) => type.id !== stay.room_type_id);
    await desk.page.evaluate(
      (closed) => localStorage.setItem('nightdesk.chart', JSON.stringify({ closed })),
      others.map((type) => `type:${type.id}`),
    );
  }
  await desk.page.keyboard.press('F5');
  await expect(desk.page.getByTestId('tape-chart')).toBeFocused();
}

/** Turns the lanes until the bar is in sight. */
async function find(desk: Desk, stay: StayLine) {
  const bar = desk.page.getByTestId(`bar-${stay.number}`).first();
  await desk.page.getByTestId('chart-today').click();
  await expect(desk.page.getByTestId('tape-chart')).toHaveAttribute('aria-busy', 'false');
  for (let turn = 0; turn < 40 && !(await bar.isVisible()); turn += 1) {
    await desk.page.getByRole('button', { name: 'Further rows of the unassigned' }).click();
  }
  await expect(bar).toBeVisible();
  return bar;
}

test('give a room by the keyboard: pick up, carry, drop; Escape puts back', async ({ desk }) => {
  const { page } = desk;
  const { stay } = await waiting(desk, 0);
  await openChart(desk, stay);
  await (await find(desk, stay)).click();
  const cell = page.getByTestId('chart-cell');
  await expect(page.getByTestId('chart-facts')).toContainText(stay.number);

  await page.keyboard.press('Space');
  await expect(page.getByTestId('chart-spoken')).toContainText('picked up');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('chart-spoken')).toContainText('put back');
  expect((await reservation(desk, stay.id)).line.room_id).toBeNull();

  await page.keyboard.press('Space');
  for (let step = 0; step < 200; step += 1) {
    await page.keyboard.press('ArrowDown');
    if (
      (await cell.getAttribute('data-carried')) === 'legal' &&
      !(await cell.getAttribute('data-row'))?.startsWith('lane:')
    )
      break;
  }
  const roomId = await cell.getAttribute('data-row');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await reservation(desk, stay.id)).line.room_id).toBe(roomId);
  await expect.poll(async () => (await reservation(desk, stay.id)).line.unsent).toBe(false);
  await expect(page.getByTestId('toasts')).toContainText('has room');
});

test('give a room by the mouse; a room that is taken says by whom and takes nothing', async ({
  desk,
}) => {
  const { page } = desk;
  const { stay, free, taken } = await waiting(desk, 1);
  await openChart(desk, stay);
  const bar = await find(desk, stay);
  const drag = async (room: RoomRow) => {
    // Those without a room stay in sight while the rooms below are scrolled.
    const head = page.getByRole('rowheader', { name: new RegExp(`^${room.number}\\b`) });
    const frame = page.getByTestId('tape-chart');
    await frame.evaluate((element) => (element.scrollTop = 0));
    await expect(async () => {
      if ((await head.count()) > 0) return;
      await frame.evaluate(async (element) => {
        const end = element.scrollTop + element.clientHeight >= element.scrollHeight;
        element.scrollTop = end ? 0 : element.scrollTop + 240;
        // Rows are mounted with the frame after.
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      });
      expect(await head.count()).toBeGreaterThan(0);
    }).toPass({ intervals: [50], timeout: 20_000 });
    // Away from the edges, where the chart scrolls by itself.
    await head.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const from = await bar.boundingBox();
    if (!from) throw new Error('the bar is not in sight');
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 16, from.y + 40, { steps: 4 });
    const to = await head.boundingBox();
    if (!to) throw new Error(`room ${room.number} is not in sight`);
    await page.mouse.move(from.x + 16, to.y + 12, { steps: 6 });
  };

  await drag(taken);
  await expect(page.getByTestId('chart-ghost')).toContainText(`Room ${taken.number} is taken by`);
  await page.mouse.up();
  await expect(page.getByTestId('chart-ghost')).toHaveCount(0);
  expect((await reservation(desk, stay.id)).line.room_id).toBeNull();

  await drag(free);
  await expect(page.getByTestId('chart-ghost')).toContainText(`Gives ${free.number} to`);
  await page.mouse.up();
  await expect
    .poll(async () => (await reservation(desk, stay.id)).line.room_number)
    .toBe(free.number);
});

test('b25 months forward and back skip none, today comes back, Enter opens the stay', async ({
  desk,
}) => {
  const { page } = desk;
  const { stay } = await waiting(desk, 2);
  await openChart(desk);
  const months = new Set<string>();
  for (let step = 0; step < 5; step += 1) {
    await page.keyboard.press('Control+ArrowRight');
    const spoken = (await page.getByTestId('chart-spoken').textContent()) ?? '';
    months.add(spoken.replace(/^.* (\w{3})( \d{4})?$/, '$1'));
  }
  expect(months.size).toBe(5);
  await page.keyboard.press('t');
  await (await find(desk, stay)).click();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('reservation-panel')).toBeVisible();
  await expect(page.getByTestId('reservation-panel')).toContainText(stay.number);
});

test('the chart stays far below what makes the window slow', async ({ desk }) => {
  const { page } = desk;
  await openChart(desk);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('-');
  await expect.poll(() => page.locator('[data-bar]').count()).toBeGreaterThan(20);
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1000);
});
