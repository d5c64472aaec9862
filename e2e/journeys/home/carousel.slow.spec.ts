import type { Locator, Page } from '@playwright/test';
import { serveSeededGameImages } from '../../support/game-images.ts';
import { openHome } from '../../support/home.ts';
import { swipeHorizontally } from '../../support/pointer.ts';
import { slowDownNetwork } from '../../support/slow-network.ts';
import { expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const GAME_COUNT = 9;

const slotRegion = (page: Page) => page.getByRole('region', { name: translate('home:category.slot'), exact: true });
const carouselRing = (page: Page) => slotRegion(page).locator('.carousel');
/** Index of the front card in the row. */
const readFrontIndex = (page: Page) =>
  slotRegion(page)
    .getByRole('listitem')
    .evaluateAll((items) => items.findIndex((item) => item.ariaCurrent === 'true'));
/** Scroll positions of the ring and of the page, in pixels. */
const readScrollPosition = (page: Page) =>
  carouselRing(page).evaluate(async (element) => {
    const [scrollLeft, top] = [element.scrollLeft, scrollY];
    for (let pictures = 0; pictures < 6; pictures += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return Math.abs(element.scrollLeft - scrollLeft) + Math.abs(scrollY - top);
  });
/** Index of the front card, and the distance from its rest position, in pixels. */
const readRestPosition = (page: Page) =>
  carouselRing(page).evaluate((element) => {
    const itemWidth = element.querySelector<HTMLElement>('.carousel-item')?.offsetWidth ?? 1;
    const index = Math.round(element.scrollLeft / itemWidth);
    return { index, off: Math.abs(element.scrollLeft - index * itemWidth) };
  });
/** Waits until the carousel rests on a card. @returns the card's index */
const restsAt = async (page: Page): Promise<number> => {
  await expect
    .poll(async () => {
      const restPositions = [(await readRestPosition(page)).off, await readScrollPosition(page)];
      return Math.max(...restPositions);
    })
    .toBeLessThan(1);
  const { index } = await readRestPosition(page);
  // The page is notified a frame later.
  await expect.poll(() => readFrontIndex(page)).toBe(index);
  return index;
};
const expectRest = async (page: Page, index: number): Promise<void> => {
  await expect.poll(() => readFrontIndex(page)).toBe(index);
  expect(await restsAt(page)).toBe(index);
};
const readMiddle = async (element: Locator): Promise<{ x: number; y: number }> => {
  await element.scrollIntoViewIfNeeded();
  const elementBox = await element.boundingBox();
  if (!elementBox) throw new Error('it is not on the page');
  return { x: elementBox.x + elementBox.width / 2, y: elementBox.y + elementBox.height / 2 };
};

/** Longer than the delay after a change of width, after which the row is positioned. */
const REFLOWED_MS = 500;

test.use(WITH_MOTION);

test.describe('carousel of games', () => {
  test('arrow keys, Home and End turn the carousel with the focus; it is one Tab stop, and each card states its position [R-HOME-04]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    await expectRest(page, 1);
    const gameCards = slotRegion(page).getByRole('listitem').getByRole('button');
    await expect(gameCards).toHaveCount(GAME_COUNT);
    await expect(slotRegion(page).locator('li button[tabindex="0"]')).toHaveCount(1);
    await gameCards.nth(1).focus();
    await expect(gameCards.nth(1)).toHaveAccessibleDescription(
      translate('parts:carousel.position', { index: 2, count: GAME_COUNT }),
    );
    for (const [key, index] of [
      ['ArrowRight', 2],
      ['ArrowRight', 3],
      ['ArrowLeft', 2],
      ['End', GAME_COUNT - 1],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect(gameCards.nth(index)).toBeFocused();
      await expectRest(page, index);
      await expect(gameCards.nth(index)).toHaveAttribute('tabindex', '0');
    }
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('a swipe turns the carousel, which stops on a card; a click on a neighbour selects it, on the front card opens it [R-HOME-04]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    await expectRest(page, 1);
    const { x, y } = await readMiddle(carouselRing(page));
    await swipeHorizontally(page, { x, y }, -200);
    await expect.poll(() => readFrontIndex(page)).toBeGreaterThan(1);
    const index = await restsAt(page);
    // Taps the visible edge of the card on the left.
    await page.touchscreen.tap(14, y);
    await expectRest(page, index - 1);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.touchscreen.tap(x, y);
    await expect(page.getByRole('dialog')).toBeVisible();
  });

  test('a resized window keeps the same card in front of the carousel [R-HOME-04]', async ({ memberPage: page }) => {
    await openHome(page);
    await expectRest(page, 1);
    await slotRegion(page).getByRole('listitem').getByRole('button').nth(1).focus();
    for (const index of [2, 3, 4]) {
      await page.keyboard.press('ArrowRight');
      await expectRest(page, index);
    }
    for (const width of [1280, 390, 1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      // Until the window has kept its width for a moment, the browser may leave the row at another card.
      await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), REFLOWED_MS);
      await expect
        .poll(async () => [
          await readFrontIndex(page),
          (await readRestPosition(page)).index,
          await readScrollPosition(page),
        ])
        .toEqual([4, 4, 0]);
    }
  });
});

test.describe('carousel of games by mouse and while it loads', () => {
  test.describe('on a desktop', () => {
    test.use({ viewport: { width: 1280, height: 800 }, hasTouch: false });

    test('a mouse drags the carousel with momentum without clicking a card; its buttons turn it and announce the new card [R-HOME-04]', async ({
      memberPage: page,
    }) => {
      await openHome(page);
      await expectRest(page, 1);
      const status = slotRegion(page).getByRole('status');
      await expect(status).toBeEmpty();
      const { x, y } = await readMiddle(carouselRing(page));
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 60, y, { steps: 3 });
      await page.mouse.move(x - 240, y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => readFrontIndex(page)).toBeGreaterThan(1);
      const index = await restsAt(page);
      await expect(page.getByRole('dialog')).toHaveCount(0);

      await slotRegion(page)
        .getByRole('button', { name: translate('parts:carousel.previous') })
        .click();
      await expectRest(page, index - 1);
      const name = await slotRegion(page)
        .getByRole('listitem')
        .nth(index - 1)
        .locator('span.rounded-full')
        .first()
        .innerText();
      await expect(status).toHaveText(
        `${name} · ${translate('parts:carousel.position', { index, count: GAME_COUNT })}`,
      );
    });

    test('the mouse wheel scrolls the page over the carousel; with Shift it turns one card per notch [R-HOME-04]', async ({
      memberPage: page,
    }) => {
      await page.setViewportSize({ width: 1280, height: 600 });
      await openHome(page);
      await expectRest(page, 1);
      const { x, y } = await readMiddle(carouselRing(page));
      await page.mouse.move(x, y);
      const before = await page.evaluate(() => scrollY);
      await page.mouse.wheel(0, 120);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
      await expectRest(page, 1);
      const middleAfter = await readMiddle(carouselRing(page));
      await page.mouse.move(middleAfter.x, middleAfter.y);
      await page.keyboard.down('Shift');
      await page.mouse.wheel(0, 120);
      await expectRest(page, 2);
      await page.mouse.wheel(0, -120);
      await expectRest(page, 1);
      await page.keyboard.up('Shift');
    });

    test('with reduced motion the carousel shows the next card immediately', async ({ memberPage: page }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await openHome(page);
      await expectRest(page, 1);
      const scrollPositions = await carouselRing(page).evaluate(async (element) => {
        const seenPositions = new Set<number>();
        const { promise: hasBegun, resolve: beginScroll } = Promise.withResolvers<void>();
        element.addEventListener('scroll', () => {
          seenPositions.add(Math.round(element.scrollLeft));
          beginScroll();
        });
        element.parentElement?.querySelectorAll<HTMLElement>(':scope > div > button')[1]?.click();
        await hasBegun;
        await new Promise((resolve) => setTimeout(resolve, 700));
        return [...seenPositions];
      });
      expect(scrollPositions).toHaveLength(1);
      await expectRest(page, 2);
    });
  });

  for (const [size, viewport] of [
    ['a phone', { width: 390, height: 844 }],
    ['the narrowest phone', { width: 320, height: 640 }],
    ['a desk', { width: 1280, height: 800 }],
  ] as const) {
    test.describe(`on ${size}`, () => {
      test.use({ viewport });

      test('home does not shift while it loads on a slow line, until the agreement', async ({ memberPage: page }) => {
        // The throttled connection is slow on any machine.
        test.setTimeout(180_000);
        await page.addInitScript(() => {
          const layoutShifts: string[] = [];
          Object.assign(globalThis, { shifts: layoutShifts });
          new PerformanceObserver((entryList) => {
            for (const entry of entryList.getEntries()) {
              const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] };
              layoutShifts.push(
                `${value} ${sources.map(({ node }) => node?.nodeName + ' ' + node?.textContent).join(', ')}`,
              );
            }
          }).observe({ type: 'layout-shift', buffered: true });
        });
        await serveSeededGameImages(page);
        await slowDownNetwork(page);
        await page.goto('/user/home', { timeout: 60_000 });
        await expect(carouselRing(page)).toBeVisible({ timeout: 30_000 });
        await expect(dialogByName(page, translate('agreement:title'))).toBeVisible({ timeout: 30_000 });
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0, { timeout: 30_000 });
        expect(await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts)).toEqual([]);
      });
    });
  }
});
