import type { Locator, Page, Request } from '@playwright/test';
import { openAccountOption, openGameDialog, openMoreOptions } from '../../support/game.ts';
import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import type { Member } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/**
 * A failure that section 8 of the specification hides from the member: the failing call, and the action that triggers
 * the call.
 */
type SwallowedFailure = {
  name: string;
  path: RegExp;
  triggerCall: (page: Page, member: Member) => Promise<unknown>;
  /** The call runs in the background: no visible element waits for its reply. */
  isInBackground?: true;
  /** Number of dialogs that stay open. */
  openDialogCount: number;
  /** Texts shown only when the call fails: neither while it is pending nor on success. */
  added?: readonly string[];
  /** Texts that a failed action restores. Its success is not compared. */
  restoredTexts?: readonly string[];
};

const openGamesHome = async (page: Page): Promise<Locator> => {
  await openHome(page);
  return openGameDialog(page, 'PG SLOT');
};

/** The agreement comes first, because the app asks until the member has accepted. */
const cases: readonly SwallowedFailure[] = [
  {
    name: 'agreement',
    path: /\/api\/lookup\/agreements$/,
    triggerCall: (page) => page.goto('/user/home'),
    isInBackground: true,
    openDialogCount: 0,
  },
  { name: 'wallet', path: /\/api\/wallet$/, triggerCall: (page) => page.goto('/user/home'), openDialogCount: 0 },
  {
    name: 'deposit lookup',
    path: /\/api\/lookup\/deposit$/,
    triggerCall: async (page) => {
      await openHome(page);
      await buttonByName(page, translate('home:deposit')).click();
    },
    openDialogCount: 1,
    added: [translate('common:retry')],
  },
  {
    name: 'invite list',
    path: /\/api\/invite$/,
    triggerCall: async (page) => {
      await openHome(page);
      await openSheetAndCloseBanners(page, translate, 'invite');
    },
    openDialogCount: 1,
  },
  {
    name: 'refund list',
    path: /\/api\/refund$/,
    triggerCall: async (page) => {
      await openHome(page);
      await openSheetAndCloseBanners(page, translate, 'refund');
    },
    openDialogCount: 1,
  },
  {
    name: 'activate',
    path: /\/api\/wallet\/activate\/pg$/,
    triggerCall: async (page) => (await openAccountOption(await openGamesHome(page))).click(),
    openDialogCount: 1,
    restoredTexts: [translate('game:open')],
  },
  {
    name: 'reset password',
    path: /\/api\/wallet\/resetpassword\/pg$/,
    triggerCall: async (page, member) => {
      await openGameAccount(member, 'pg');
      const game = await openGamesHome(page);
      await openMoreOptions(game);
      await buttonByName(game, translate('game:show')).click();
      await buttonByName(game, translate('game:reset')).click();
    },
    openDialogCount: 1,
    restoredTexts: [translate('game:reset')],
  },
  // Starts at the statement: from the slips, only the hash of the address would change.
  {
    name: 'slips',
    path: /\/api\/statement\/slip$/,
    triggerCall: (page) => page.goto('/user/statement#slips'),
    openDialogCount: 1,
  },
  {
    name: 'profile',
    path: /\/api\/account\/profile$/,
    triggerCall: (page) => page.goto('/user/profile'),
    openDialogCount: 0,
    // In the place of each value.
    added: ['-'],
  },
  { name: 'bonus list', path: /\/api\/bonus$/, triggerCall: (page) => page.goto('/user/bonus'), openDialogCount: 0 },
  {
    name: 'statement',
    path: /\/api\/statement$/,
    triggerCall: (page) => page.goto('/user/statement'),
    openDialogCount: 0,
  },
];

/** Texts of empty lists. A failed load must not claim that a list is empty. */
const EMPTY_PHRASES = [
  'invite:nobody',
  'refund:logEmpty',
  'statement:empty',
  'statement:slips.empty',
  'bonus:none',
] as const;

/** All visible texts, and the names of all controls, line by line; digits as #. */
const readShownTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const pageLines = document.body.innerText.split('\n').map((pageLine) => pageLine.trim().replaceAll(/\d+/g, '#'));
    const names = [...document.querySelectorAll('button, a[href]')]
      .filter((controlElement) => controlElement.checkVisibility())
      .map((controlElement) => controlElement.getAttribute('aria-label') ?? '');
    return [...new Set([...pageLines, ...names])].filter((pageLine) => pageLine !== '');
  });

/** Pending indicators, in the page and in dialogs. */
const loadingIndicators = (page: Page): Locator =>
  page
    .locator('[aria-busy=true], [role=progressbar], progress')
    .or(page.getByRole('status', { name: translate('common:loading') }));

/** The page's texts when the call succeeds, read in a new document. */
async function readTextsOnSuccess(page: Page, performAct: () => Promise<unknown>): Promise<string[]> {
  await page.goto('/no-such-page');
  await performAct();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(loadingIndicators(page)).toHaveCount(0);
  return readShownTexts(page);
}

test.describe('failed calls without an error message', () => {
  test(`a failure of ${cases.map(({ name }) => name).join(', ')} hides the loading indicator and shows no error [R-NET-08]`, async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(240_000);
    // The notice of the deposit may arrive during a case.
    await page.route('**/api/notices', (route) => route.fulfill({ json: { total: 0, unread: 0, notices: [] } }));
    // An entry of the statement, which is behind the slips.
    await fundWallet(member, 10);
    for (const { name, path, triggerCall, isInBackground, openDialogCount, added = [], restoredTexts } of cases)
      await test.step(name, async () => {
        const { promise: replyReleased, resolve: releaseReply } = Promise.withResolvers<void>();
        let failureCount = 0;
        await page.route(path, async (route) => {
          await replyReleased;
          await route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
          failureCount += 1;
        });
        const failedRequest = page.waitForRequest((request: Request) => path.test(new URL(request.url()).pathname));
        await triggerCall(page, member);
        await failedRequest;
        if (!isInBackground) await expect(loadingIndicators(page).first()).toBeAttached();
        const textsWhileLoading = await readShownTexts(page);
        releaseReply();
        await expect.poll(() => failureCount).toBeGreaterThan(0);
        await expect(loadingIndicators(page)).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await expect(page.getByRole('alert')).toHaveCount(0);
        await expect(page.getByRole('dialog')).toHaveCount(openDialogCount);
        const textsOnFailure = await readShownTexts(page);
        for (const key of EMPTY_PHRASES) expect(textsOnFailure).not.toContain(translate(key));
        await page.unroute(path);
        const textsOnSuccess = restoredTexts ?? (await readTextsOnSuccess(page, () => triggerCall(page, member)));
        // The bell appears once the page is idle.
        const knownTexts = new Set([...textsWhileLoading, ...textsOnSuccess, translate('push:bell.title')]);
        const findUnknown = async (): Promise<string[]> => {
          // Some parts of a page load after its heading.
          if (!restoredTexts) for (const shownText of await readShownTexts(page)) knownTexts.add(shownText);
          return textsOnFailure.filter((pageText) => !knownTexts.has(pageText));
        };
        await expect.poll(findUnknown).toEqual(added);
        // From now on the agreement is accepted automatically: the other cases test something else.
        if (name === 'agreement') await acceptAgreement(page);
      });
  });
});
