import { STORAGE } from '@krapao/contract/constants';
import type { Locator } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { depositSheet, qrImage } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { memberAsPayer } from '../../support/money.ts';
import { answerPending, timelineItem, pendingItem, strip } from '../../support/pending.ts';
import { expectFullyVisible, SMALL_SCREENS } from '../../support/screen-fit.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const PAGES = ['profile', 'bonus', 'spin', 'statement', 'howto', 'contact', 'home'];
const SIZES = [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const;
const waits = translate('money:strip.qr', { amount: '฿500.00' });

/** Where an element is on the screen, from top to bottom. */
async function spanOf(element: Locator): Promise<{ top: number; bottom: number }> {
  const box = await element.boundingBox();
  if (!box) throw new Error('the element is not on the screen');
  return { top: box.y, bottom: box.y + box.height };
}

for (const [size, viewport] of SIZES) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport });

    test('a pending QR is in the strip on every page, after a reload and on another device; it links to the code until paid [R-WALLET-02]', async ({
      memberPage: page,
      member,
      browser,
    }) => {
      const { body: qr } = await api<{ payload: string; amount: number }>('POST', '/api/qrcode/KBANK', {
        token: member.token,
        body: { amount: 500 },
      });
      await openHome(page);
      const waiting = strip(page, translate).getByRole('button', { name: waits });
      await expect(waiting).toBeVisible();
      await expect(waiting.getByRole('timer')).toHaveText(/^\d{1,2}:\d{2}$/);
      await expectAccessible(page, 'the strip');
      for (const path of PAGES) {
        await page.goto(`/user/${path}`);
        await expect(waiting, path).toBeVisible();
      }
      const other = await browser.newContext({ viewport });
      const device = await other.newPage();
      await signIn(device, member);
      await device.goto('/user/profile');
      await expect(strip(device, translate).getByRole('button', { name: waits })).toBeVisible();
      await waiting.click();
      await expect(qrImage(depositSheet(page), qr.amount.toFixed(2))).toBeVisible();
      await expect(page).toHaveURL(/\/user\/home$/);
      await expect(strip(page, translate)).toHaveCount(0);
      await payQr(qr.payload, memberAsPayer(member));
      const arrived = translate('money:ended.deposit', { amount: `฿${qr.amount.toFixed(2)}` });
      await expect(strip(device, translate).getByText(arrived)).toBeVisible();
      await expect(strip(device, translate)).toHaveCount(0);
      await buttonByName(depositSheet(page), translate('deposit:finish')).click();
      await expect(depositSheet(page)).toBeHidden();
      await expect(strip(page, translate)).toHaveCount(0);
      await page.reload();
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForResponse('**/api/pending');
      await expect(strip(page, translate)).toHaveCount(0);
      await other.close();
    });

    test('the strip is above the menu and below the chat button, or beside the page, and covers or shifts no content [R-WALLET-02]', async ({
      memberPage: page,
    }) => {
      await page.addInitScript(() => {
        Object.assign(globalThis, { shifted: 0 });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries())
            (globalThis as unknown as { shifted: number }).shifted += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
      });
      let items: object[] = [pendingItem()];
      await answerPending(page, () => items);
      await page.route('**/api/money/*', (route) =>
        route.fulfill({ json: timelineItem({ status: 'SUCCESS', expectedBy: null }) }),
      );
      await page.goto('/user/contact');
      const box = strip(page, translate);
      await expect(box).toBeVisible();
      await expect(page.getByRole('button', { name: translate('chat:open') })).toBeVisible();
      const at = await spanOf(box);
      if (viewport.width < 1024) {
        expect(at.bottom - at.top).toBe(48);
        const chat = await spanOf(page.getByRole('button', { name: translate('chat:open') }));
        expect(chat.bottom).toBeLessThanOrEqual(at.top - 8);
        const homeIcon = page.getByRole('link', { name: translate('common:menu.home') }).locator('span');
        expect(at.bottom).toBeLessThanOrEqual((await spanOf(homeIcon.first())).top - 8);
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        const end = await spanOf(page.getByRole('main').getByText('1.1.14'));
        expect(end.bottom).toBeLessThanOrEqual(at.top);
      } else {
        const [stripBox, mainBox] = await Promise.all([box.boundingBox(), page.getByRole('main').boundingBox()]);
        expect((stripBox?.x ?? 0) + (stripBox?.width ?? 0)).toBeLessThanOrEqual(mainBox?.x ?? 0);
        const lastEntry = page.getByRole('navigation').getByRole('link').last();
        expect((await spanOf(lastEntry)).bottom).toBeLessThanOrEqual(at.top - 8);
      }
      items = [];
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      await expect(box.getByText(translate('money:ended.withdraw', { amount: '฿100.00' }))).toBeVisible();
      await expect(box).toHaveCount(0);
      expect(await page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted)).toBeLessThanOrEqual(
        0.02,
      );
    });
  });
}

test('the strip states what each kind waits for and links to it; several are a list, and a refusal stays until dismissed [R-WALLET-02]', async ({
  memberPage: page,
}) => {
  let items: object[] = [];
  await answerPending(page, () => items);
  await page.route('**/api/money/*', (route) => route.fulfill({ json: timelineItem() }));
  await openHome(page);
  await page.waitForResponse('**/api/pending');
  const again = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  const money = { amount: '฿100.00' };
  const cases: [object, string, string | undefined][] = [
    [
      { kind: 'withdraw', target: '/user/home#withdraw' },
      translate('money:strip.withdraw', money),
      translate('withdraw:title'),
    ],
    [
      { kind: 'transfer', place: 'pg', state: 'UNKNOWN', target: '/user/home#game=pg' },
      translate('money:strip.transfer', { ...money, game: 'PG SLOT' }),
      'PG SLOT',
    ],
    [
      { kind: 'notice', state: 'OPEN', payAmount: 100, place: 'bank:SCB', target: null },
      translate('money:strip.notice', money),
      undefined,
    ],
    [{ kind: 'gift', state: 'UNKNOWN', amount: null, target: null }, translate('money:strip.gift'), undefined],
    [
      { kind: 'slip', state: 'MANUAL', amount: null, target: '/user/statement#slips' },
      translate('money:strip.slipReview'),
      translate('statement:slips.title'),
    ],
  ];
  for (const [changes, text, opens] of cases) {
    await page.goto('/user/home');
    items = [pendingItem(changes)];
    await page.reload();
    await strip(page, translate).getByRole('button', { name: text }).click();
    const sheet = dialogByName(page, opens ?? translate('money:kind.withdraw'));
    await expect(sheet, text).toBeVisible();
    await expect(strip(page, translate)).toHaveCount(0);
    await buttonByName(sheet, translate('common:close')).click();
    await expect(strip(page, translate)).toBeVisible();
  }
  items = [
    pendingItem(),
    pendingItem({ key: 'T7K2M9QABCDEFG', kind: 'transfer', place: 'pg', target: '/user/home#game=pg' }),
  ];
  await page.goto('/user/profile');
  await strip(page, translate)
    .getByRole('button', { name: translate('money:strip.several_other', { count: 2 }) })
    .click();
  const list = dialogByName(page, translate('money:strip.label'));
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page, 'the list of open items');
  await list.getByRole('button', { name: translate('money:strip.transfer', { ...money, game: 'PG SLOT' }) }).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  await buttonByName(dialogByName(page, 'PG SLOT'), translate('common:close')).click();
  // A refusal stays; its timeline opens from it.
  await page.route('**/api/money/*', (route) =>
    route.fulfill({ json: timelineItem({ status: 'FAILED', amount: 0, reason: 'NAME_MISMATCH', expectedBy: null }) }),
  );
  items = [];
  await again();
  const bad = strip(page, translate).locator('[data-end=bad]');
  await expect(bad).toBeVisible();
  await page.waitForTimeout(7_000);
  await expect(bad).toBeVisible();
  await buttonByName(bad, translate('common:close')).click();
  await expect(strip(page, translate)).toHaveCount(0);
  // What is still open is named beside a refusal, with room for both below the page.
  const other = pendingItem({ key: 'W8K2M9Q4711471', amount: 250 });
  // An end is announced once, so another item has to end.
  items = [pendingItem({ key: 'W6K2M9Q4711471' }), other];
  await again();
  await expect(strip(page, translate)).toBeVisible();
  items = [other];
  await again();
  const open = strip(page, translate).getByRole('button', {
    name: translate('money:strip.withdraw', { amount: '฿250.00' }),
  });
  await expect(bad).toBeVisible();
  await expect(open).toBeVisible();
  expect((await spanOf(bad)).bottom).toBeLessThanOrEqual((await spanOf(open)).top - 8);
  await expectAccessible(page, 'a refusal beside an open item');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const content = await spanOf(page.locator('#content > :last-child'));
  expect(content.bottom).toBeLessThanOrEqual((await spanOf(bad)).top);
  await buttonByName(bad, translate('common:close')).click();
  await expect(bad).toHaveCount(0);
  await expect(open).toBeVisible();
});

test('a minimized strip is a pill in the top bar until another item is pending; the end of an item is shown in full [R-WALLET-02]', async ({
  memberPage: page,
}) => {
  const [first, second] = [pendingItem(), pendingItem({ key: 'W8K2M9Q4711471', amount: 250 })];
  let items: object[] = [first];
  await answerPending(page, () => items);
  await page.route('**/api/money/*', (route) => route.fulfill({ json: timelineItem({ status: 'SUCCESS' }) }));
  await openHome(page);
  const collapse = strip(page, translate).getByRole('button', { name: translate('money:strip.collapse') });
  const pill = page.getByRole('banner').getByRole('button', {
    name: translate('money:strip.withdraw', { amount: '฿100.00' }),
  });
  const size = await collapse.boundingBox();
  expect(Math.min(size?.width ?? 0, size?.height ?? 0)).toBeGreaterThanOrEqual(44);
  await collapse.click();
  await expect(pill).toBeFocused();
  await expect(strip(page, translate)).toHaveCount(1);
  await expectAccessible(page, 'the pill of the strip');
  for (const viewport of [...SMALL_SCREENS, { width: 1280, height: 800 }]) {
    await page.setViewportSize(viewport);
    await page.goto('/user/home');
    await expectFullyVisible(page, { pill, logout: buttonByName(page, translate('common:logout')) });
    const [pillBox, bar] = await Promise.all([pill.boundingBox(), page.getByRole('banner').boundingBox()]);
    if (!pillBox || !bar) throw new Error('no pill in the top bar');
    expect(Math.min(pillBox.width, pillBox.height)).toBeGreaterThanOrEqual(44);
    expect(pillBox.y).toBeGreaterThanOrEqual(bar.y);
    expect(pillBox.y + pillBox.height).toBeLessThanOrEqual(bar.y + bar.height);
  }
  // The eye hides its amount too.
  const hiding = buttonByName(page, translate('common:hideAmounts'));
  await expect(pill).toContainText('฿100.00');
  await hiding.click();
  await expect(page.getByRole('banner')).not.toContainText('100');
  await hiding.click();
  // Something new opens the strip; closing it again puts both aside.
  items = [first, second];
  await page.reload();
  await expect(pill).toHaveCount(0);
  await collapse.click();
  items = [second];
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect(page.locator('[data-end=good]')).toBeVisible();
  await expect(page.locator('[data-end=good]')).toHaveCount(0);
  const rest = { name: translate('money:strip.withdraw', { amount: '฿250.00' }) };
  await page.getByRole('banner').getByRole('button', rest).click();
  await expect(page.getByRole('banner').getByRole('button', rest)).toHaveCount(0);
  await expect(strip(page, translate).getByRole('button', rest)).toBeFocused();
  // Logout forgets what was put aside.
  await collapse.click();
  const storedItems = () =>
    page.evaluate((key) => sessionStorage.getItem(key) ?? localStorage.getItem(key), STORAGE.collapsedItems);
  expect(await storedItems()).toContain(second.key);
  // It asks once while money is pending; the item is not touched.
  await buttonByName(page, translate('common:logout')).click();
  const question = dialogByName(page, translate('money:logout.title'));
  await expect(question).toContainText(translate('money:logout.pending_other', { count: 1 }));
  await buttonByName(question, translate('money:logout.stay')).click();
  await expect(question).toHaveCount(0);
  await buttonByName(page, translate('common:logout')).click();
  await buttonByName(question, translate('common:logout')).click();
  await expect(page).toHaveURL(/\/login$/);
  expect(await storedItems()).toBeNull();
});

test('offline the strip keeps the last known items with their time; while the keyboard is open it is hidden [R-WALLET-02]', async ({
  memberPage: page,
  context,
}) => {
  await answerPending(page, () => [pendingItem()]);
  await page.goto('/user/profile');
  const waiting = strip(page, translate).getByRole('button', {
    name: translate('money:strip.withdraw', { amount: '฿100.00' }),
  });
  await expect(waiting).toBeVisible();
  const known = translate('money:strip.lastKnown', { time: '' }).trim();
  await expect(waiting).not.toContainText(known);
  await context.setOffline(true);
  await expect(waiting).toContainText(known);
  await context.setOffline(false);
  await expect(waiting).not.toContainText(known);
  const shrink = (by: number) =>
    page.evaluate((share) => {
      const view = globalThis.visualViewport;
      if (!view) throw new Error('no visual viewport');
      Object.defineProperty(view, 'height', { configurable: true, value: innerHeight * share });
      view.dispatchEvent(new Event('resize'));
    }, by);
  await shrink(0.55);
  await expect(strip(page, translate)).toHaveCount(0);
  await shrink(1);
  await expect(waiting).toBeVisible();
});
