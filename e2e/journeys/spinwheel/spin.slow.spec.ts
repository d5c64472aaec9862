import { expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { dialogByName } from '../../support/user-actions.ts';
import {
  spinButtonName,
  closePrize,
  earnWheelCoins,
  openWheel,
  readRecordedWheelPaint,
  readWheelSetup,
  startSlopeByFriction,
  startSlopeOfEasing,
  type WheelSetup,
  type WheelSlice,
  type SpinReply,
  spinButton,
  spinOnPage,
  readSliceUnderPointer,
  recordWheelPaint,
  wheelCanvas,
} from '../../support/wheel.ts';

const translate = translatorFor('th');
const MIN_SPINS = 4;
const COIN_COUNT = 40;
/** The wheel turns backwards for less than this before it spins. */
const WINDING_MS_MAX = 500;

test.describe('the wheel', () => {
  test("the wheel has the operator's texts and colours, is 85 % of the width up to 350, and resizes 500 ms after the window [R-SPIN-01]", async ({
    memberPage: page,
    member,
  }) => {
    await recordWheelPaint(page);
    const { activeSpinwheel } = await readWheelSetup(member);
    await openWheel(page);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(activeSpinwheel.name);
    const slices = activeSpinwheel.sliceList;
    const canvas = wheelCanvas(page);
    await expect(canvas).toHaveAccessibleName(
      translate('spinwheel:picture', { name: activeSpinwheel.name, count: slices.length }),
    );
    await expect
      .poll(async () => (await readRecordedWheelPaint(page)).labels.length)
      .toBeGreaterThanOrEqual(slices.length);
    const { labels, colours } = await readRecordedWheelPaint(page);
    for (const { widthMax } of labels) expect(widthMax).toBeLessThanOrEqual(90);
    for (const { label, bgColor } of slices) {
      expect(labels.map(({ text }) => text).join('\n')).toContain(label.split(' ')[0]);
      expect(colours).toContain(bgColor);
    }
    const readCanvasWidth = () => canvas.evaluate((element) => (element as HTMLElement).offsetWidth);
    const readCanvasPixels = () => canvas.evaluate((element) => (element as HTMLCanvasElement).width);
    expect(await readCanvasWidth()).toBe(Math.floor(390 * 0.85));
    expect(await readCanvasPixels()).toBe(Math.floor(390 * 0.85));
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 30_000);
    // The page is notified of another width with its next frame.
    await page.evaluate(() =>
      addEventListener('resize', () => Object.assign(globalThis, { resizedWidth: innerWidth })),
    );
    const resizeWindow = async (width: number, height: number): Promise<void> => {
      await page.setViewportSize({ width, height });
      const readResizedWidth = () =>
        page.evaluate(() => (globalThis as unknown as { resizedWidth?: number }).resizedWidth);
      await expect.poll(readResizedWidth).toBe(width);
    };
    await resizeWindow(320, 640);
    await page.clock.runFor(450);
    expect(await readCanvasWidth()).toBe(Math.floor(390 * 0.85));
    await resizeWindow(1280, 800);
    await page.clock.runFor(450);
    expect(await readCanvasWidth(), 'not yet at rest').toBe(Math.floor(390 * 0.85));
    await page.clock.runFor(100);
    await expect.poll(readCanvasWidth).toBe(350);
    await expect.poll(readCanvasPixels).toBe(350);
  });

  test('the wheel is sharp at a device scale of 3, and shows every member its odds [R-SPIN-01]', async ({
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
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
    await page.goto(new URL('/user/spin', memberPage.url()).href);
    await expect(wheelCanvas(page)).toHaveJSProperty('width', Math.floor(390 * 0.85) * 3);
    const totalWeight = sliceList.reduce((total, { weight }) => total + weight, 0);
    await expect(page.getByRole('list', { name: translate('spinwheel:odds') }).getByRole('listitem')).toHaveText(
      sliceList.map(({ label, weight }) => `${label}${Number(((weight * 100) / totalWeight).toFixed(2))}%`),
    );
    await context.close();
  });

  test('the wheel uses the textColor of each slice, and describes a prize by its sanitised htmlDescription [R-SPIN-01]', async ({
    memberPage: page,
    member,
  }) => {
    await recordWheelPaint(page);
    await earnWheelCoins(member, 1);
    const slicesByColour = (setup: WheelSetup): WheelSlice[] =>
      setup.result.activeSpinwheel.sliceList.map((slice, index) => ({
        ...slice,
        label: `ช่อง${index}`,
        textColor: `#00ff${(index + 16).toString(16)}`,
        htmlDescription: `<p>ได้ <b>รางวัลที่ ${index}</b><script>document.title = 'acted'</script><img src="/none" onerror="document.title = 'acted'"></p>`,
      }));
    let slices: WheelSlice[] = [];
    await page.route('**/api/spinwheel/setup', async (route) => {
      const setup = (await (await route.fetch()).json()) as WheelSetup;
      slices = slicesByColour(setup);
      setup.result.activeSpinwheel.sliceList = slices;
      await route.fulfill({ json: setup });
    });
    await page.route('**/api/spinwheel/spin', async (route) => {
      const spinReply = (await (await route.fetch()).json()) as SpinReply;
      const { code, label } = slices[2] ?? {};
      await route.fulfill({ json: { ...spinReply, result: { ...spinReply.result, code, label, hasPrize: true } } });
    });
    await openWheel(page);
    const readPaintedColours = async () =>
      new Map((await readRecordedWheelPaint(page)).labels.map(({ text, colour }) => [text, colour]));
    const expected = new Map(slices.map(({ label, textColor }) => [label, textColor]));
    expect(expected.size).toBeGreaterThan(2);
    await expect.poll(readPaintedColours).toEqual(expected);
    await spinOnPage(page, translate);
    const prizeDialog = dialogByName(page, translate('spinwheel:prizeTitle'));
    await expect(prizeDialog.locator('b')).toHaveText('รางวัลที่ 2');
    await expect(prizeDialog.locator('script, [onerror]')).toHaveCount(0);
    await expect(page).not.toHaveTitle('acted');
  });
});

test.describe('the button of the wheel', () => {
  test('the button in the wheel shows the coins that a deposit earned, and is disabled at 0 [R-SPIN-01] [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    let spinRequests = 0;
    page.on('request', (request) => (spinRequests += request.url().endsWith('/api/spinwheel/spin') ? 1 : 0));
    await openWheel(page);
    const spinCentre = spinButton(page, translate);
    await expect(spinCentre).toHaveAccessibleName(spinButtonName(translate, 0));
    await expect(spinCentre).toHaveCSS('cursor', 'not-allowed');
    await expect(page.getByText(translate('spinwheel:noCoins'))).toBeVisible();
    await expect(page.getByText(translate('spinwheel:earn', { amount: '฿300.00' }))).toBeVisible();
    await spinCentre.dispatchEvent('click');
    await spinCentre.focus();
    await page.keyboard.press('Enter');
    await expect(spinCentre).toHaveAttribute('aria-busy', 'false');
    expect(spinRequests).toBe(0);
    await earnWheelCoins(member, 2);
    // The page is notified by its event.
    await expect(spinCentre).toHaveAccessibleName(spinButtonName(translate, 2));
    await expect(spinCentre).toHaveCSS('cursor', 'pointer');
    await spinCentre.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => spinRequests).toBe(1);
  });
});

test.describe('a spin', () => {
  test.use(WITH_MOTION);

  test('a spin turns two to three rounds in 3 to 4 s, stops inside the drawn slice, opens the prize and then reloads the coupons [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(120_000);
    await recordWheelPaint(page);
    // Enough spins for one win: the probability of none is 1e-12.
    await earnWheelCoins(member, COIN_COUNT);
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
    await openWheel(page);
    let coinsLeft = COIN_COUNT;
    for (let winCount = 0, spins = 0; winCount === 0 || spins < MIN_SPINS; spins += 1) {
      const result = await spinOnPage(page, translate);
      coinsLeft -= 1;
      const { code, fraction } = await readSliceUnderPointer(page, sliceList);
      expect(code).toBe(result.code);
      expect(fraction).toBeGreaterThan(0.1);
      expect(fraction).toBeLessThan(0.9);
      const modal = dialogByName(page, translate('spinwheel:prizeTitle'));
      if (result.hasPrize) {
        winCount += 1;
        await expect(modal).toContainText(result.label);
        await closePrize(page, translate);
        await expect(page.getByRole('table', { name: translate('spinwheel:coupons') })).toContainText(result.label);
      } else await expect(modal).toHaveCount(0);
      await expect(spinButton(page, translate)).toHaveAccessibleName(spinButtonName(translate, coinsLeft));
    }
    const spins = (await readRecordedWheelPaint(page)).moves.filter(({ degrees }) => Math.abs(degrees ?? 0) > 360);
    expect(spins.length).toBeGreaterThanOrEqual(MIN_SPINS);
    for (const { duration, easing, degrees, isTransformOnly } of spins) {
      const extraTurns = Math.floor((degrees ?? 0) / 360);
      expect([2, 3]).toContain(extraTurns);
      expect(duration).toBeGreaterThanOrEqual(3_000);
      expect(duration).toBeLessThanOrEqual(4_000);
      // A friction of 0.990 or 0.992 begins by 0.02 faster or slower at least.
      expect(Math.abs(startSlopeOfEasing(easing) - startSlopeByFriction(duration))).toBeLessThan(0.015);
      expect(isTransformOnly).toBe(true);
    }
  });

  test('a click on the turning wheel stops it on the drawn slice without another coin', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 2);
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
    await openWheel(page);
    const spinResponse = page.waitForResponse('**/api/spinwheel/spin');
    await spinButton(page, translate).click();
    const { result } = (await (await spinResponse).json()) as SpinReply;
    const wheel = page.getByRole('img', { name: /./ }).and(page.locator('canvas'));
    const skipButton = page.getByRole('button', { name: translate('spinwheel:skip') });
    await expect(skipButton).toBeVisible();
    const box = await wheel.locator('..').boundingBox();
    if (!box) throw new Error('the wheel has no box');
    const startMs = Date.now();
    await page.mouse.click(box.x + box.width * 0.2, box.y + box.height / 2);
    await expect(skipButton).toHaveCount(0, { timeout: 1_500 });
    expect(Date.now() - startMs).toBeLessThan(1_500);
    expect((await readSliceUnderPointer(page, sliceList)).code).toBe(result.code);
    expect((await readWheelSetup(member)).userCoin).toBe(1);
  });

  test('clicks during a spin cost no further coin: one coin, one spin [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 3);
    await openWheel(page);
    let spinRequests = 0;
    const { promise: spinReleased, resolve: releaseSpin } = Promise.withResolvers<void>();
    await page.route('**/api/spinwheel/spin', async (route) => {
      spinRequests += 1;
      await spinReleased;
      await route.continue();
    });
    const spinCentre = spinButton(page, translate);
    const pressRepeatedly = () =>
      spinCentre.evaluate((element) => {
        for (let pressNumber = 0; pressNumber < 20; pressNumber += 1) (element as HTMLElement).click();
      });
    await pressRepeatedly();
    await expect(spinCentre).toHaveAttribute('aria-busy', 'true');
    await pressRepeatedly();
    // Paused, so that the wheel still spins at the next press, however busy the machine is.
    const spinningDegrees = wheelCanvas(page).evaluate(async (element, windingMs) => {
      for (;;) {
        const spin = element.getAnimations().find(({ effect }) => Number(effect?.getTiming().duration) > windingMs);
        if (spin) return spin.pause();
        await new Promise(requestAnimationFrame);
      }
    }, WINDING_MS_MAX);
    releaseSpin();
    await spinningDegrees;
    await pressRepeatedly();
    await wheelCanvas(page).evaluate((element) => element.getAnimations().forEach((animation) => animation.play()));
    await expect(spinCentre).toHaveAttribute('aria-busy', 'false');
    expect(spinRequests).toBe(1);
    expect((await readWheelSetup(member)).userCoin).toBe(2);
  });
});

test.describe('a spin that fails', () => {
  test.use(WITH_MOTION);

  test('a spin whose reply is lost is retried under the same key: the same spin, no second coin [R-SPIN-02]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 3);
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
    await openWheel(page);
    const keys: (string | undefined)[] = [];
    let lostReply: SpinReply | undefined;
    await page.route('**/api/spinwheel/spin', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const serverReply = await route.fetch();
      if (keys.length > 1) return route.fulfill({ response: serverReply });
      lostReply = (await serverReply.json()) as SpinReply;
      return route.abort();
    });
    await spinButton(page, translate).click();
    const unknownDialog = dialogByName(page, translate('spinwheel:unknownTitle'));
    await expect(unknownDialog).toContainText(translate('spinwheel:unknownCoin'));
    const spinResponse = page.waitForResponse('**/api/spinwheel/spin');
    await unknownDialog.getByRole('button', { name: translate('spinwheel:askAgain') }).click();
    const repeatedReply = (await (await spinResponse).json()) as SpinReply;
    expect(repeatedReply.result.spinId).toBe(lostReply?.result.spinId);
    await expect(spinButton(page, translate)).toHaveAttribute('aria-busy', 'false');
    expect((await readSliceUnderPointer(page, sliceList)).code).toBe(lostReply?.result.code);
    if (repeatedReply.result.hasPrize) await closePrize(page, translate);
    expect((await readWheelSetup(member)).userCoin).toBe(2);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
    // The next press is another spin.
    await spinButton(page, translate).click();
    await expect.poll(() => keys.length).toBe(3);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('a refused spin shows the reason by its code, and that no coin was spent [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 1);
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
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
      await spinButton(page, translate).click();
      const failureDialog = dialogByName(page, translate('spinwheel:failureTitle'));
      await expect(failureDialog).toContainText(translate(`spinwheel:error.${code}`));
      await expect(failureDialog).toContainText(translate('spinwheel:failureCoin'));
      await page.keyboard.press('Escape');
      await expect(failureDialog).toBeHidden();
    }
    // Released, the wheel returns to its previous angle.
    await expect.poll(() => readSliceUnderPointer(page, sliceList)).toEqual({ code: sliceList[0]?.code, fraction: 0 });
  });
});

test('with reduced motion a spin shows its result after a short fade, without rotation [R-SPIN-02]', async ({
  memberPage: page,
  member,
}) => {
  await recordWheelPaint(page);
  await earnWheelCoins(member, 1);
  const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
  await openWheel(page);
  const { code } = await spinOnPage(page, translate);
  expect((await readSliceUnderPointer(page, sliceList)).code).toBe(code);
  const { moves } = await readRecordedWheelPaint(page);
  expect(moves).toHaveLength(1);
  expect(moves[0]?.degrees).toBeUndefined();
  expect(moves[0]?.duration).toBeLessThanOrEqual(300);
});
