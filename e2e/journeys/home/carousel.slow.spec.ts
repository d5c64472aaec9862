import type { Locator, Page } from '@playwright/test';
import { swipe } from '../../support/finger.ts';
import { withSeededPictures } from '../../support/game-pictures.ts';
import { openHome } from '../../support/home.ts';
import { overSlowLine } from '../../support/slow-line.ts';
import { expect, MOVING, test } from '../../support/test.ts';
import { dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const COUNT = 9;

const slots = (page: Page) => page.getByRole('region', { name: say('home:category.slot'), exact: true });
const ring = (page: Page) => slots(page).locator('.carousel');
/** Index of the front card in the row. */
const front = (page: Page) =>
  slots(page)
    .getByRole('listitem')
    .evaluateAll((items) => items.findIndex((item) => item.ariaCurrent === 'true'));
/** How far the ring, and the page with it, go within a few pictures, in pixels. */
const moved = (page: Page) =>
  ring(page).evaluate(async (element) => {
    const [left, top] = [element.scrollLeft, scrollY];
    for (let pictures = 0; pictures < 6; pictures += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return Math.abs(element.scrollLeft - left) + Math.abs(scrollY - top);
  });
/** The card that the ring is at, from 0, and how far it is from resting on it, in pixels. */
const standing = (page: Page) =>
  ring(page).evaluate((element) => {
    const step = element.querySelector<HTMLElement>('.carousel-item')?.offsetWidth ?? 1;
    const index = Math.round(element.scrollLeft / step);
    return { index, off: Math.abs(element.scrollLeft - index * step) };
  });
/** Comes to rest on a card, past which it may have glided before. @returns which one */
const restsAt = async (page: Page): Promise<number> => {
  await expect
    .poll(async () => {
      const places = [(await standing(page)).off, await moved(page)];
      return Math.max(...places);
    })
    .toBeLessThan(1);
  const { index } = await standing(page);
  // The page is notified a frame later.
  await expect.poll(() => front(page)).toBe(index);
  return index;
};
const rests = async (page: Page, index: number): Promise<void> => {
  await expect.poll(() => front(page)).toBe(index);
  expect(await restsAt(page)).toBe(index);
};
const middleOf = async (place: Locator): Promise<{ x: number; y: number }> => {
  await place.scrollIntoViewIfNeeded();
  const box = await place.boundingBox();
  if (!box) throw new Error('it is not on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

/** Longer than the delay after a change of width, after which the row is positioned. */
const REFLOWED_MS = 500;

test.use(MOVING);

test.describe('carousel of games', () => {
  test('arrow keys, Home and End turn it and take focus along; Tab stops at it once; each card says its place [R-HOME-04]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    await rests(page, 1);
    const cards = slots(page).getByRole('listitem').getByRole('button');
    await expect(cards).toHaveCount(COUNT);
    await expect(slots(page).locator('li button[tabindex="0"]')).toHaveCount(1);
    await cards.nth(1).focus();
    await expect(cards.nth(1)).toHaveAccessibleDescription(say('parts:carousel.position', { index: 2, count: COUNT }));
    for (const [key, index] of [
      ['ArrowRight', 2],
      ['ArrowRight', 3],
      ['ArrowLeft', 2],
      ['End', COUNT - 1],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect(cards.nth(index)).toBeFocused();
      await rests(page, index);
      await expect(cards.nth(index)).toHaveAttribute('tabindex', '0');
    }
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('a finger flings it, and it comes to rest on a card; pressing a neighbour brings that to the front, pressing the front opens it [R-HOME-04]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    await rests(page, 1);
    const { x, y } = await middleOf(ring(page));
    await swipe(page, { x, y }, -200);
    await expect.poll(() => front(page)).toBeGreaterThan(1);
    const index = await restsAt(page);
    // What is seen of the card on its left.
    await page.touchscreen.tap(14, y);
    await rests(page, index - 1);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.touchscreen.tap(x, y);
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('another window width leaves the same card in front [R-HOME-04]', async ({ memberPage: page }) => {
    await openHome(page);
    await rests(page, 1);
    await slots(page).getByRole('listitem').getByRole('button').nth(1).focus();
    for (const index of [2, 3, 4]) {
      await page.keyboard.press('ArrowRight');
      await rests(page, index);
    }
    for (const width of [1280, 390, 1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      // Until the window has kept its width for a moment, the row may stand still at another card, where the browser left it.
      await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), REFLOWED_MS);
      await expect
        .poll(async () => [await front(page), (await standing(page)).index, await moved(page)])
        .toEqual([4, 4, 0]);
    }
  });
});

test.describe('carousel of games by mouse and while it loads', () => {
  test.describe('on a desk', () => {
    test.use({ viewport: { width: 1280, height: 800 }, hasTouch: false });

    test('a mouse drags it with momentum and presses nothing by that; the buttons turn it and say what has come [R-HOME-04]', async ({
      memberPage: page,
    }) => {
      await openHome(page);
      await rests(page, 1);
      const status = slots(page).getByRole('status');
      await expect(status).toBeEmpty();
      const { x, y } = await middleOf(ring(page));
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 60, y, { steps: 3 });
      await page.mouse.move(x - 240, y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => front(page)).toBeGreaterThan(1);
      const index = await restsAt(page);
      await expect(page.getByRole('dialog')).toHaveCount(0);

      await slots(page)
        .getByRole('button', { name: say('parts:carousel.previous') })
        .click();
      await rests(page, index - 1);
      const name = await slots(page)
        .getByRole('listitem')
        .nth(index - 1)
        .locator('span.rounded-full')
        .first()
        .innerText();
      await expect(status).toHaveText(`${name} · ${say('parts:carousel.position', { index, count: COUNT })}`);
    });

    test('a wheel scrolls the page past it; with shift held it turns one card a notch [R-HOME-04]', async ({
      memberPage: page,
    }) => {
      await page.setViewportSize({ width: 1280, height: 600 });
      await openHome(page);
      await rests(page, 1);
      const { x, y } = await middleOf(ring(page));
      await page.mouse.move(x, y);
      const before = await page.evaluate(() => scrollY);
      await page.mouse.wheel(0, 120);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
      await rests(page, 1);
      const after = await middleOf(ring(page));
      await page.mouse.move(after.x, after.y);
      await page.keyboard.down('Shift');
      await page.mouse.wheel(0, 120);
      await rests(page, 2);
      await page.mouse.wheel(0, -120);
      await rests(page, 1);
      await page.keyboard.up('Shift');
    });

    test('who wants no motion gets the card at once', async ({ memberPage: page }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await openHome(page);
      await rests(page, 1);
      const places = await ring(page).evaluate(async (element) => {
        const seen = new Set<number>();
        const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
        element.addEventListener('scroll', () => {
          seen.add(Math.round(element.scrollLeft));
          begin();
        });
        element.parentElement?.querySelectorAll<HTMLElement>(':scope > div > button')[1]?.click();
        await hasBegun;
        await new Promise((resolve) => setTimeout(resolve, 700));
        return [...seen];
      });
      expect(places).toHaveLength(1);
      await rests(page, 2);
    });
  });

  for (const [size, viewport] of [
    ['a phone', { width: 390, height: 844 }],
    ['the narrowest phone', { width: 320, height: 640 }],
    ['a desk', { width: 1280, height: 800 }],
  ] as const) {
    test.describe(`on ${size}`, () => {
      test.use({ viewport });

      test('nothing on home moves while it loads over a slow line, up to the agreement', async ({
        memberPage: page,
      }) => {
        // The line is slow whatever the machine is.
        test.setTimeout(180_000);
        await page.addInitScript(() => {
          const shifts: string[] = [];
          Object.assign(globalThis, { shifts });
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
              const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] };
              shifts.push(`${value} ${sources.map(({ node }) => node?.nodeName + ' ' + node?.textContent).join(', ')}`);
            }
          }).observe({ type: 'layout-shift', buffered: true });
        });
        await withSeededPictures(page);
        await overSlowLine(page);
        await page.goto('/user/home', { timeout: 60_000 });
        await expect(ring(page)).toBeVisible({ timeout: 30_000 });
        await expect(dialog(page, say('agreement:title'))).toBeVisible({ timeout: 30_000 });
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0, { timeout: 30_000 });
        expect(await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts)).toEqual([]);
      });
    });
  }
});
