import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { DESKTOP_VIEWPORT, PHONE_VIEWPORT, SMALLEST_VIEWPORT } from '../../support/accessible.ts';
import { CHROMIUM_FLAGS, headlessShellPath, writeSystemFonts } from '../../support/browser.ts';
import { rememberAgreement } from '../../support/home.ts';
import type { Member } from '../../support/member.ts';
import { appUrl } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { answerPending, pendingItem, strip } from '../../support/pending.ts';
import { slowDownNetwork } from '../../support/slow-network.ts';
import { expect, test, WITH_MOTION } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

// A browser with the fonts of a phone.
test.use({
  launchOptions: [
    async ({}, use, { project, parallelIndex }) => {
      const fonts = writeSystemFonts(join(project.outputDir, `system-fonts-${parallelIndex}`));
      const env = { ...process.env, FONTCONFIG_FILE: fonts };
      await use({ executablePath: headlessShellPath(), args: CHROMIUM_FLAGS, env });
    },
    { scope: 'worker' },
  ],
});

const SHIFT_MAX = 0.02;
/** Pages of the menu and the tiles, except home. */
const PAGE_NAMES = ['profile', 'spin', 'bonus', 'statement', 'howto', 'contact'];

type ShiftSource = { node: Element | null; previousRect: DOMRect; currentRect: DOMRect };
type LayoutShift = { value: number; sources: string[] };

/** Records layout shifts without user input, from the start of each page. */
const recordLayoutShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const layoutShifts: LayoutShift[] = [];
    Object.assign(globalThis, { shifts: layoutShifts });
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as {
          value: number;
          hadRecentInput: boolean;
          sources: ShiftSource[];
        };
        if (hadRecentInput) continue;
        layoutShifts.push({
          value,
          sources: sources.map(({ node, previousRect, currentRect }) =>
            [
              `${previousRect.y}+${previousRect.height} → ${currentRect.y}+${currentRect.height}`,
              node?.nodeName,
              node?.className,
              node?.textContent?.slice(0, 40),
            ].join(' '),
          ),
        });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

async function expectNoShift(page: Page, name: string): Promise<void> {
  const layoutShifts = await page.evaluate(() => (globalThis as unknown as { shifts: LayoutShift[] }).shifts);
  const total = layoutShifts.reduce((sum, { value }) => sum + value, 0);
  expect.soft(total, `${name}: ${JSON.stringify(layoutShifts, undefined, 1)}`).toBeLessThanOrEqual(SHIFT_MAX);
}

/** Opens a member page, and waits until its placeholders are gone. */
async function openLoadedPage(page: Page, name: string): Promise<void> {
  await page.goto(`/user/${name}`, { timeout: 60_000, waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/./, { timeout: 30_000 });
  await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0, { timeout: 30_000 });
}

const condition = {
  reference: 'b-1',
  kind: 'BONUS',
  name: 'bonus',
  state: 'ACTIVE',
  base: 100,
  current: 100,
  target: 200,
  floor: 0,
  turnover: null,
  turnoverTarget: null,
  outstanding: 0,
  percentSuccess: 100,
  percentFail: 0,
  startedAt: '2026-11-01T00:00:00.000Z',
  isCounting: true,
  ifCleared: { takesBack: 100, keeps: 20 },
};
type Wallet = { slots: { outstanding: number }[] };
/** Changes of the wallet, by what they add to the balance on home. */
const walletChanges: Record<string, (wallet: Wallet) => object> = {
  'no rows': () => ({}),
  'a row': () => ({ wallet: { amount: 20, inTransit: 50 } }),
  'all rows': ({ slots: [first, ...rest] }) => ({
    wallet: { amount: 1_234_567.89, inTransit: 150 },
    withdrawal: { reference: 'w-1', amount: 100, state: 'HELD', createdAt: '2026-11-01T00:00:00.000Z' },
    slots: [{ ...first, outstanding: 75 }, ...rest],
    withdrawable: 0,
    conditions: [condition, { ...condition, reference: 'b-2' }],
  }),
};

const offer = {
  code: 'OFFER',
  name: 'Bonus 100%',
  percent: 100,
  fixed: null,
  maximum: 500,
  minimumDeposit: 100,
  percentSuccess: 300,
  percentFail: 0,
  turnoverTimes: null,
};
/** Replies about the bonuses of a deposit, by the phrase that they show. */
const bonusReplies = {
  none: { bonuses: [offer], obstacle: null },
  noOffer: { bonuses: [], obstacle: null },
  // The longest texts.
  'obstacle.BONUS_MAX_CLAIMED': { bonuses: [], obstacle: 'BONUS_MAX_CLAIMED' },
  'obstacle.BONUS_ALREADY_ACTIVE': { bonuses: [], obstacle: 'BONUS_ALREADY_ACTIVE' },
} as const;

/** Answers the deposit's question about bonuses with `reply`, after the returned function is called. */
async function holdBonuses(page: Page, reply: object): Promise<() => void> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    '**/api/deposit/bonuses',
    async (route) => {
      await isReleased;
      await route.fulfill({ json: reply });
    },
    { times: 1 },
  );
  return release;
}

async function prepareVisits(page: Page, member: Member, language: Language, line: string): Promise<void> {
  test.setTimeout(240_000);
  await fundWallet(member, 20);
  await rememberAgreement(page);
  await page.context().addCookies([{ name: 'language', value: language.toUpperCase(), url: appUrl() }]);
  await page.addInitScript((locale) => localStorage.setItem('locale', locale), language);
  await recordLayoutShifts(page);
  if (line === 'slow') await slowDownNetwork(page);
}

const screens = [
  ['a phone', PHONE_VIEWPORT, 'th'],
  ['a small phone', SMALLEST_VIEWPORT, 'th'],
  ['a small phone in Lao', SMALLEST_VIEWPORT, 'la'],
  ['a small phone in English', SMALLEST_VIEWPORT, 'en'],
  ['a desk', DESKTOP_VIEWPORT, 'th'],
] as const;

const visits = screens.flatMap(([screen, viewport, language]) => [
  // A fast line changes what comes first, whatever the screen: on a phone, in Lao and on a desk.
  ...(viewport === SMALLEST_VIEWPORT && language !== 'la' ? ['slow'] : ['slow', 'fast']).map((line) => ({
    name: `on ${screen} with a ${line} line`,
    viewport,
    language,
    line,
    motion: true,
  })),
  // The content below a row that is new to this browser slides, or fades.
  ...(screen === 'a phone' || language === 'la'
    ? [{ name: `on ${screen} with reduced motion`, viewport, language, line: 'slow', motion: false }]
    : []),
]);

for (const { name: visited, viewport, language, line, motion } of visits) {
  const translate = translatorFor(language);
  test.describe(visited, () => {
    test.use({ viewport, ...(motion && WITH_MOTION) });

    test('no page shifts its layout while it loads, also below the strip of pending items', async ({
      memberPage: page,
      member,
    }) => {
      await prepareVisits(page, member, language, line);
      let items: object[] = [];
      await answerPending(page, () => items);
      await page.route('**/api/money/*', (route) => route.abort());
      for (const name of PAGE_NAMES) {
        items = [pendingItem()];
        await openLoadedPage(page, name);
        await expect(strip(page, translate)).toBeVisible();
        items = [];
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
        await expect(strip(page, translate)).toHaveCount(0);
        await expectNoShift(page, name);
      }
    });

    for (const [added, change] of Object.entries(walletChanges)) {
      if (language !== 'th' && added !== 'all rows') continue;
      test(`home does not shift while the balance loads with ${added}, and neither does the deposit dialog`, async ({
        memberPage: page,
        member,
      }) => {
        await prepareVisits(page, member, language, line);
        await page.route('**/api/wallet', async (route) => {
          const response = await route.fetch();
          const wallet = (await response.json()) as Wallet;
          await route.fulfill({ response, json: { ...wallet, ...change(wallet) } });
        });
        // A condition excludes every bonus.
        if (added === 'all rows')
          await page.route('**/api/deposit/bonuses', (route) => route.fulfill({ json: bonusReplies.noOffer }));
        // The second visit knows the rows of the first.
        for (const visit of ['first visit', 'second visit']) {
          await openLoadedPage(page, 'home');
          await expectNoShift(page, visit);
        }
        await buttonByName(page, translate('home:deposit')).click();
        const sheet = dialogByName(page, translate('deposit:title'));
        await expect(sheet).toBeVisible();
        await expect(sheet.locator('[aria-busy=true], [role=status][aria-label]')).toHaveCount(0);
        await expectNoShift(page, 'deposit');
      });
    }

    if (line === 'slow' && motion)
      test('the statement does not shift while a search is typed', async ({ memberPage: page, member }) => {
        await prepareVisits(page, member, language, line);
        await openGameAccount(member, 'pg');
        for (const amount of [10, 2, 3, 4, 5]) {
          await transferMoney(member, 'WALLET', 'pg', amount);
          await transferMoney(member, 'pg', 'WALLET', amount);
        }
        await openLoadedPage(page, 'statement');
        const rows = page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem');
        await page.evaluate(() => ((globalThis as unknown as { shifts: LayoutShift[] }).shifts.length = 0));
        // From all rows to two of them, to a full page, to none, and back to all.
        for (const [search, count] of [
          ['3', 2],
          ['pg', 10],
          ['pg 77', 0],
          ['', 10],
        ] as const) {
          // Without key presses: Chromium ignores layout shifts within 500 ms after them.
          await page.getByLabel(translate('statement:filter.search')).fill(search);
          await expect(rows).toHaveCount(count);
          await expect(page.locator('main [aria-busy=true]')).toHaveCount(0);
          await expectNoShift(page, `search for ${search}`);
        }
      });

    test('the deposit dialog does not shift, whatever the server replies about its bonuses', async ({
      memberPage: page,
      member,
    }) => {
      await prepareVisits(page, member, language, line);
      for (const [phrase, reply] of Object.entries(bonusReplies)) {
        const release = await holdBonuses(page, reply);
        await openLoadedPage(page, 'home');
        await page.evaluate(() => ((globalThis as unknown as { shifts: LayoutShift[] }).shifts.length = 0));
        // Not a user's press, after which layout shifts don't count.
        await buttonByName(page, translate('home:deposit')).dispatchEvent('click');
        const sheet = dialogByName(page, translate('deposit:title'));
        await expect(sheet.getByLabel(translate('deposit:advice.howMuch'))).toBeVisible();
        await expect(sheet.locator('[aria-busy=true], [role=status][aria-label]')).toHaveCount(0);
        release();
        const text = translate(`deposit:bonus.${phrase as keyof typeof bonusReplies}`);
        await expect(sheet.locator('form').getByText(text, { exact: true }).first()).toBeVisible();
        await expectNoShift(page, `deposit with the reply ${phrase}`);
      }
    });
  });
}
