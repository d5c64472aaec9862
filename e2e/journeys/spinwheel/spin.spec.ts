import { expect, MOVING, test } from '../../support/test.ts';
import { dialog } from '../../support/walk.ts';
import {
  buttonName,
  closePrize,
  earnCoins,
  openWheel,
  seen,
  setupOf,
  slopeByFriction,
  slopeOf,
  type Setup,
  type Slice,
  type Spin,
  spinButton,
  spinOnPage,
  underPointer,
  watchWheel,
  wheelCanvas,
} from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const SPINS_LEAST = 4;
const COINS = 40;
/** The wheel is drawn back for less than that before it spins. */
const WINDING_MS_MAX = 500;

test.describe('the wheel', () => {
  test('has the operator’s name, colours and labels no wider than 90, is 85 % of the width and at most 350, and follows the window after it has rested for 500 ms [R-SPIN-01]', async ({
    memberPage: page,
    member,
  }) => {
    await watchWheel(page);
    const { activeSpinwheel } = await setupOf(member);
    await openWheel(page);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(activeSpinwheel.name);
    const slices = activeSpinwheel.sliceList;
    const canvas = wheelCanvas(page);
    await expect(canvas).toHaveAccessibleName(
      say('spinwheel:picture', { name: activeSpinwheel.name, count: slices.length }),
    );
    await expect.poll(async () => (await seen(page)).labels.length).toBeGreaterThanOrEqual(slices.length);
    const { labels, colours } = await seen(page);
    for (const { widthMax } of labels) expect(widthMax).toBeLessThanOrEqual(90);
    for (const { label, bgColor } of slices) {
      expect(labels.map(({ text }) => text).join('\n')).toContain(label.split(' ')[0]);
      expect(colours).toContain(bgColor);
    }
    const width = () => canvas.evaluate((place) => (place as HTMLElement).offsetWidth);
    const pixels = () => canvas.evaluate((place) => (place as HTMLCanvasElement).width);
    expect(await width()).toBe(Math.floor(390 * 0.85));
    expect(await pixels()).toBe(Math.floor(390 * 0.85));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 30_000);
    // The page is notified of another width with its next frame.
    await page.evaluate(() =>
      addEventListener('resize', () => Object.assign(globalThis, { resizedWidth: innerWidth })),
    );
    const resize = async (width: number, height: number): Promise<void> => {
      await page.setViewportSize({ width, height });
      const readResizedWidth = () =>
        page.evaluate(() => (globalThis as unknown as { resizedWidth?: number }).resizedWidth);
      await expect.poll(readResizedWidth).toBe(width);
    };
    await resize(320, 640);
    await page.clock.runFor(450);
    expect(await width()).toBe(Math.floor(390 * 0.85));
    await resize(1280, 800);
    await page.clock.runFor(450);
    expect(await width(), 'not yet at rest').toBe(Math.floor(390 * 0.85));
    await page.clock.runFor(100);
    await expect.poll(width).toBe(350);
    await expect.poll(pixels).toBe(350);
  });

  test('is sharp on a screen of three pixels for one, and shows every member its odds [R-SPIN-01]', async ({
    browser,
    memberPage,
    member,
  }) => {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 3,
      storageState: await memberPage.context().storageState(),
    });
    const page = await context.newPage();
    const { sliceList } = (await setupOf(member)).activeSpinwheel;
    await page.goto(new URL('/user/spin', memberPage.url()).href);
    await expect(wheelCanvas(page)).toHaveJSProperty('width', Math.floor(390 * 0.85) * 3);
    const all = sliceList.reduce((sum, { weight }) => sum + weight, 0);
    await expect(page.getByRole('list', { name: say('spinwheel:odds') }).getByRole('listitem')).toHaveText(
      sliceList.map(({ label, weight }) => `${label}${Number(((weight * 100) / all).toFixed(2))}%`),
    );
    await context.close();
  });

  test('paints each label in the textColor of its slice, and describes a prize with its htmlDescription, made safe [R-SPIN-01]', async ({
    memberPage: page,
    member,
  }) => {
    await watchWheel(page);
    await earnCoins(member, 1);
    const inColour = (setup: Setup): Slice[] =>
      setup.result.activeSpinwheel.sliceList.map((slice, index) => ({
        ...slice,
        label: `ช่อง${index}`,
        textColor: `#00ff${(index + 16).toString(16)}`,
        htmlDescription: `<p>ได้ <b>รางวัลที่ ${index}</b><script>document.title = 'acted'</script><img src="/none" onerror="document.title = 'acted'"></p>`,
      }));
    let slices: Slice[] = [];
    await page.route('**/api/spinwheel/setup', async (route) => {
      const setup = (await (await route.fetch()).json()) as Setup;
      slices = inColour(setup);
      setup.result.activeSpinwheel.sliceList = slices;
      await route.fulfill({ json: setup });
    });
    await page.route('**/api/spinwheel/spin', async (route) => {
      const spun = (await (await route.fetch()).json()) as Spin;
      const { code, label } = slices[2] ?? {};
      await route.fulfill({ json: { ...spun, result: { ...spun.result, code, label, hasPrize: true } } });
    });
    await openWheel(page);
    const painted = async () => new Map((await seen(page)).labels.map(({ text, colour }) => [text, colour]));
    const expected = new Map(slices.map(({ label, textColor }) => [label, textColor]));
    expect(expected.size).toBeGreaterThan(2);
    await expect.poll(painted).toEqual(expected);
    await spinOnPage(page, say);
    const prize = dialog(page, say('spinwheel:prizeTitle'));
    await expect(prize.locator('b')).toHaveText('รางวัลที่ 2');
    await expect(prize.locator('script, [onerror]')).toHaveCount(0);
    await expect(page).not.toHaveTitle('acted');
  });
});

test.describe('the button of the wheel', () => {
  test('the button in the middle tells the coins that a deposit brought: a pointer with coins, not-allowed and without effect at 0 [R-SPIN-01] [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    let asked = 0;
    page.on('request', (request) => (asked += request.url().endsWith('/api/spinwheel/spin') ? 1 : 0));
    await openWheel(page);
    const middle = spinButton(page, say);
    await expect(middle).toHaveAccessibleName(buttonName(say, 0));
    await expect(middle).toHaveCSS('cursor', 'not-allowed');
    await expect(page.getByText(say('spinwheel:noCoins'))).toBeVisible();
    await expect(page.getByText(say('spinwheel:earn', { amount: '฿300.00' }))).toBeVisible();
    await middle.dispatchEvent('click');
    await middle.focus();
    await page.keyboard.press('Enter');
    await expect(middle).toHaveAttribute('aria-busy', 'false');
    expect(asked).toBe(0);
    await earnCoins(member, 2);
    // The page is notified by its event.
    await expect(middle).toHaveAccessibleName(buttonName(say, 2));
    await expect(middle).toHaveCSS('cursor', 'pointer');
    await middle.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => asked).toBe(1);
  });
});

test.describe('a spin', () => {
  test.use(MOVING);

  test('goes two to three times round in 4 to 5 s × rotations × 0.1 on the compositor, slowed by a friction of 0.991, and stops inside the slice that the server drew; a prize opens its modal, and closing that loads wheel and coupons again [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(120_000);
    await watchWheel(page);
    // So many that one of their spins wins, but for once in a million million times.
    await earnCoins(member, COINS);
    const { sliceList } = (await setupOf(member)).activeSpinwheel;
    await openWheel(page);
    let left = COINS;
    for (let wins = 0, spins = 0; wins === 0 || spins < SPINS_LEAST; spins += 1) {
      const result = await spinOnPage(page, say);
      left -= 1;
      const { code, inside } = await underPointer(page, sliceList);
      expect(code).toBe(result.code);
      expect(inside).toBeGreaterThan(0.1);
      expect(inside).toBeLessThan(0.9);
      const modal = dialog(page, say('spinwheel:prizeTitle'));
      if (result.hasPrize) {
        wins += 1;
        await expect(modal).toContainText(result.label);
        await closePrize(page, say);
        await expect(page.getByRole('table', { name: say('spinwheel:coupons') })).toContainText(result.label);
      } else await expect(modal).toHaveCount(0);
      await expect(spinButton(page, say)).toHaveAccessibleName(buttonName(say, left));
    }
    const spins = (await seen(page)).moves.filter(({ degrees }) => Math.abs(degrees ?? 0) > 360);
    expect(spins.length).toBeGreaterThanOrEqual(SPINS_LEAST);
    for (const { duration, easing, degrees, isTransformOnly } of spins) {
      const extra = Math.floor((degrees ?? 0) / 360);
      expect([2, 3]).toContain(extra);
      expect(duration).toBeGreaterThanOrEqual(4_000 * extra * 0.1);
      expect(duration).toBeLessThanOrEqual(5_000 * extra * 0.1);
      // A friction of 0.990 or 0.992 begins by 0.02 faster or slower at least.
      expect(Math.abs(slopeOf(easing) - slopeByFriction(duration))).toBeLessThan(0.012);
      expect(isTransformOnly).toBe(true);
    }
  });

  test('however often the button is pressed meanwhile, one coin goes and one spin is made [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 3);
    await openWheel(page);
    let asked = 0;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/spinwheel/spin', async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    const middle = spinButton(page, say);
    const storm = () =>
      middle.evaluate((place) => {
        for (let press = 0; press < 20; press += 1) (place as HTMLElement).click();
      });
    await storm();
    await expect(middle).toHaveAttribute('aria-busy', 'true');
    await storm();
    // Paused, so that the wheel still spins when it is pressed again, however busy the machine is.
    const spinning = wheelCanvas(page).evaluate(async (place, windingMs) => {
      for (;;) {
        const spin = place.getAnimations().find(({ effect }) => Number(effect?.getTiming().duration) > windingMs);
        if (spin) return spin.pause();
        await new Promise(requestAnimationFrame);
      }
    }, WINDING_MS_MAX);
    release();
    await spinning;
    await storm();
    await wheelCanvas(page).evaluate((place) => place.getAnimations().forEach((animation) => animation.play()));
    await expect(middle).toHaveAttribute('aria-busy', 'false');
    expect(asked).toBe(1);
    expect((await setupOf(member)).userCoin).toBe(2);
  });
});

test.describe('a spin that fails', () => {
  test.use(MOVING);

  test('whose answer is lost is asked for again under the same key: the same spin, and no second coin [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 3);
    const { sliceList } = (await setupOf(member)).activeSpinwheel;
    await openWheel(page);
    const keys: (string | undefined)[] = [];
    let lost: Spin | undefined;
    await page.route('**/api/spinwheel/spin', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const answer = await route.fetch();
      if (keys.length > 1) return route.fulfill({ response: answer });
      lost = (await answer.json()) as Spin;
      return route.abort();
    });
    await spinButton(page, say).click();
    const unknown = dialog(page, say('spinwheel:unknownTitle'));
    await expect(unknown).toContainText(say('spinwheel:unknownCoin'));
    const answer = page.waitForResponse('**/api/spinwheel/spin');
    await unknown.getByRole('button', { name: say('spinwheel:askAgain') }).click();
    const again = (await (await answer).json()) as Spin;
    expect(again.result.spinId).toBe(lost?.result.spinId);
    await expect(spinButton(page, say)).toHaveAttribute('aria-busy', 'false');
    expect((await underPointer(page, sliceList)).code).toBe(lost?.result.code);
    if (again.result.hasPrize) await closePrize(page, say);
    expect((await setupOf(member)).userCoin).toBe(2);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
    // The next one is another spin.
    await spinButton(page, say).click();
    await expect.poll(() => keys.length).toBe(3);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('that is refused says why in the words of its code, and that no coin went [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 1);
    const { sliceList } = (await setupOf(member)).activeSpinwheel;
    await openWheel(page);
    for (const [code, status] of [
      ['SPIN_INACTIVE', 200],
      ['NO_COIN', 200],
      ['SPIN_BUSY', 200],
      ['REQUEST_LIMIT', 429],
      ['INTERNAL_SERVER_ERROR', 200],
    ] as const) {
      await page.route(
        '**/api/spinwheel/spin',
        (route) => route.fulfill({ status, json: { message: code, success: false, error: code, result: null } }),
        { times: 1 },
      );
      await spinButton(page, say).click();
      const refused = dialog(page, say('spinwheel:failureTitle'));
      await expect(refused).toContainText(say(`spinwheel:error.${code}`));
      await expect(refused).toContainText(say('spinwheel:failureCoin'));
      await page.keyboard.press('Escape');
      await expect(refused).toBeHidden();
    }
    // It is released, and returns to where it was.
    await expect.poll(() => underPointer(page, sliceList)).toEqual({ code: sliceList[0]?.code, inside: 0 });
  });
});

test('who wants no motion sees the result after a short fade, with nothing spinning [R-SPIN-02]', async ({
  memberPage: page,
  member,
}) => {
  await watchWheel(page);
  await earnCoins(member, 1);
  const { sliceList } = (await setupOf(member)).activeSpinwheel;
  await openWheel(page);
  const { code } = await spinOnPage(page, say);
  expect((await underPointer(page, sliceList)).code).toBe(code);
  const { moves } = await seen(page);
  expect(moves).toHaveLength(1);
  expect(moves[0]?.degrees).toBeUndefined();
  expect(moves[0]?.duration).toBeLessThanOrEqual(300);
});
