import type { Locator, Page, Request } from '@playwright/test';
import { openGameDialog } from '../../support/game.ts';
import { openBehindBanners, openHome } from '../../support/home.ts';
import type { Member } from '../../support/member.ts';
import { fund, openGame } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** A failure that section 8 of the specification swallows: which call fails, and what makes the app ask. */
type Swallowed = {
  name: string;
  path: RegExp;
  act: (page: Page, member: Member) => Promise<unknown>;
  /** It is loaded in the background: nothing waits for it. */
  isInBackground?: true;
  /** Dialogs that stay open, if any. */
  dialogs: number;
  /** Shown only when the call fails: neither while it is pending nor on success. */
  added?: readonly string[];
  /** An action: what it would change isn't compared, only what is back when it failed. */
  back?: readonly string[];
};

const openGamesHome = async (page: Page): Promise<Locator> => {
  await openHome(page);
  return openGameDialog(page, 'PG SLOT');
};

/** The agreement is the first: it is asked for until it is accepted. */
const cases: readonly Swallowed[] = [
  {
    name: 'agreement',
    path: /\/api\/lookup\/agreements$/,
    act: (page) => page.goto('/user/home'),
    isInBackground: true,
    dialogs: 0,
  },
  { name: 'wallet', path: /\/api\/wallet$/, act: (page) => page.goto('/user/home'), dialogs: 0 },
  {
    name: 'deposit lookup',
    path: /\/api\/lookup\/deposit$/,
    act: async (page) => {
      await openHome(page);
      await button(page, say('home:deposit')).click();
    },
    dialogs: 1,
    added: [say('common:retry')],
  },
  {
    name: 'invite list',
    path: /\/api\/invite$/,
    act: async (page) => {
      await openHome(page);
      await openBehindBanners(page, say, 'invite');
    },
    dialogs: 1,
  },
  {
    name: 'refund list',
    path: /\/api\/refund$/,
    act: async (page) => {
      await openHome(page);
      await openBehindBanners(page, say, 'refund');
    },
    dialogs: 1,
  },
  {
    name: 'activate',
    path: /\/api\/wallet\/activate\/pg$/,
    act: async (page) => button(await openGamesHome(page), say('game:open')).click(),
    dialogs: 1,
    back: [say('game:open')],
  },
  {
    name: 'reset password',
    path: /\/api\/wallet\/resetpassword\/pg$/,
    act: async (page, member) => {
      await openGame(member, 'pg');
      const game = await openGamesHome(page);
      await button(game, say('game:show')).click();
      await button(game, say('game:reset')).click();
    },
    dialogs: 1,
    back: [say('game:reset')],
  },
  // Before the statement: from there only the hash of the address would change.
  {
    name: 'slips',
    path: /\/api\/statement\/slip$/,
    act: (page) => page.goto('/user/statement#slips'),
    dialogs: 1,
  },
  {
    name: 'profile',
    path: /\/api\/account\/profile$/,
    act: (page) => page.goto('/user/profile'),
    dialogs: 0,
    // In the place of each value.
    added: ['-'],
  },
  { name: 'bonus list', path: /\/api\/bonus$/, act: (page) => page.goto('/user/bonus'), dialogs: 0 },
  { name: 'statement', path: /\/api\/statement$/, act: (page) => page.goto('/user/statement'), dialogs: 0 },
];

/** What lists say that have nothing in them: a failure doesn't know that. */
const EMPTY = ['invite:nobody', 'refund:logEmpty', 'statement:empty', 'statement:slips.empty', 'bonus:none'] as const;

/** All that can be read on the page, and the names of all that can be pressed, line by line; figures as #. */
const shownOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const lines = document.body.innerText.split('\n').map((line) => line.trim().replaceAll(/\d+/g, '#'));
    const names = [...document.querySelectorAll('button, a[href]')]
      .filter((control) => control.checkVisibility())
      .map((control) => control.getAttribute('aria-label') ?? '');
    return [...new Set([...lines, ...names])].filter((line) => line !== '');
  });

/** Pending indicators, in the page and in dialogs. */
const loaders = (page: Page): Locator =>
  page
    .locator('[aria-busy=true], [role=progressbar], progress')
    .or(page.getByRole('status', { name: say('common:loading') }));

/** What the page shows when the call succeeds, which is made again in a new document. */
async function shownOnSuccess(page: Page, act: () => Promise<unknown>): Promise<string[]> {
  await page.goto('/no-such-page');
  await act();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(loaders(page)).toHaveCount(0);
  return shownOn(page);
}

test.describe('failures that are swallowed', () => {
  test(`${cases.map(({ name }) => name).join(', ')}: the loader hides and nothing else shows [R-NET-08]`, async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(240_000);
    // An entry of the statement, which is behind the slips.
    await fund(member, 10);
    for (const { name, path, act, isInBackground, dialogs, added = [], back } of cases)
      await test.step(name, async () => {
        const { promise: held, resolve: release } = Promise.withResolvers<void>();
        let failed = 0;
        await page.route(path, async (route) => {
          await held;
          await route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
          failed += 1;
        });
        const asked = page.waitForRequest((request: Request) => path.test(new URL(request.url()).pathname));
        await act(page, member);
        await asked;
        if (!isInBackground) await expect(loaders(page).first()).toBeAttached();
        const meanwhile = await shownOn(page);
        release();
        await expect.poll(() => failed).toBeGreaterThan(0);
        await expect(loaders(page)).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await expect(page.getByRole('alert')).toHaveCount(0);
        await expect(page.getByRole('dialog')).toHaveCount(dialogs);
        const failedWith = await shownOn(page);
        for (const key of EMPTY) expect(failedWith).not.toContain(say(key));
        await page.unroute(path);
        const succeeding = back ?? (await shownOnSuccess(page, () => act(page, member)));
        const known = new Set([...meanwhile, ...succeeding]);
        expect(failedWith.filter((line) => !known.has(line))).toEqual(added);
        // From here on it is accepted whenever it comes: the other cases are not about it.
        if (name === 'agreement') await acceptAgreement(page);
      });
  });
});
