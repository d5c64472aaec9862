import type { Locator, Page } from '@playwright/test';
import { newAccountNo, newPhone, type Member } from './member.ts';
import { fund, openGame, transfer } from './money.ts';
import { newestCode } from './outside.ts';
import { expect } from './test.ts';
import { button, card, comes, dialog, ways } from './walk.ts';
import { closePrize, openWheel, type Setup, type Spin, spinOnPage } from './wheel.ts';
import type { Say } from './words.ts';

const GAME = 'PG SLOT';

/** Checks what a page shows now. */
export type Look = (page: Page, name: string) => Promise<void>;

/** Nothing is on its way any more: no answer, no movement but what turns for ever or follows the scrolling. */
export const settled = async (page: Page): Promise<void> => {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(({ timeline }) => timeline instanceof DocumentTimeline)
            .filter(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
            .length,
      ),
    )
    .toBe(0);
};

/** The public pages. */
export async function publicPages(page: Page, say: Say, look: Look): Promise<void> {
  for (const path of ['/login', '/contact', '/no-such-page']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    if (path === '/contact') await expect(page.getByRole('figure')).toBeVisible();
    await look(page, path);
  }
  await page.goto('/howto');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await look(page, '/howto');
  const title = say('howto:tutorial.game.title');
  await inSheet(page, page.getByRole('main').getByRole('button', { name: title }), title, () => look(page, 'tutorial'));
}

/** Each step of registering, with what is missing in it. */
export async function registerSteps(page: Page, say: Say, look: Look): Promise<void> {
  const phone = newPhone();
  await page.goto('/register');
  await expect(page.getByLabel(say('register:phone'))).toBeVisible();
  await look(page, 'phone');
  await button(page, say('common:next')).click();
  await expect(page.getByText(say('register:phoneDigits'))).toBeVisible();
  await look(page, 'phone that is wrong');
  await page.getByLabel(say('register:phone')).fill(phone);
  await button(page, say('common:next')).click();
  await expect(page.getByLabel(say('register:code'), { exact: true })).toBeVisible();
  await look(page, 'code');
  await page.getByLabel(say('register:code'), { exact: true }).fill((await newestCode(phone)).code);
  await expect(page.getByRole('heading', { name: say('register:stepProfile') })).toBeVisible();
  await look(page, 'profile');
  await page.getByLabel(say('register:name')).fill('ทดสอบ');
  await page.getByLabel(say('register:password'), { exact: true }).fill('Basket-of-gold-9');
  await page.getByLabel(say('register:confirmPassword')).fill('Basket-of-gold-9');
  await page.getByLabel(say('register:source')).selectOption({ index: 1 });
  await button(page, say('common:next')).click();
  await page.getByLabel(say('register:accountNo')).fill(newAccountNo());
  await button(page, say('register:submit')).click();
  await expect(page.getByText(say('register:bankRequired'))).toBeVisible();
  await look(page, 'bank, with what is missing');
}

/** Opens a sheet, checks it, and closes it. */
export async function inSheet(
  page: Page,
  opener: Locator,
  title: string,
  look: (sheet: Locator) => Promise<void>,
): Promise<void> {
  await opener.click();
  const sheet = dialog(page, title);
  await expect(sheet).toBeVisible();
  await look(sheet);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
}

/** What can be received, an unknown code, what was received, and how it is given up. */
async function bonuses(page: Page, say: Say, look: Look): Promise<void> {
  await page.goto('/user/bonus');
  const all = page.getByRole('region', { name: say('bonus:all') });
  await expect(all.getByRole('button').first()).toBeVisible();
  await button(page, say('bonus:promotion.search')).click();
  await look(page, 'bonuses, without a code');
  await page.getByLabel(say('bonus:promotion.label')).fill('nobody');
  const code = say('bonus:promotion.title', { code: 'NOBODY' });
  await inSheet(page, button(page, say('bonus:promotion.search')), code, () => look(page, 'an unknown code'));
  await all.getByRole('button').first().click();
  const offer = page.getByRole('dialog');
  await button(offer, say('bonus:receive')).click();
  await expect(offer).toContainText(say('bonus:received.where'));
  await look(page, 'a bonus that was just received');
  await page.keyboard.press('Escape');
  await expect(offer).toHaveCount(0);
  await expect(page.getByRole('progressbar').first()).toBeVisible();
  await look(page, 'bonus in use');
  await all.getByRole('button').nth(1).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await look(page, 'bonus');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await inSheet(page, button(page, say('bonus:cancel.open')), say('bonus:cancel.title'), () =>
    look(page, 'giving a bonus up'),
  );
}

/** The next call of a path is answered so. */
const answerOnce = (page: Page, path: string, json: object, status = 200): Promise<unknown> =>
  page.route(path, (route) => route.fulfill({ status, json }), { times: 1 });

/** What a form says that is sent as it is, that is refused, and that is accepted. */
async function inForm(page: Page, say: Say, word: 'transfer' | 'withdraw', look: Look): Promise<void> {
  const [path, code, status, amount] =
    word === 'transfer'
      ? (['**/api/wallet/transfer', 'TRANSFER_FAIL', 502, '5'] as const)
      : (['**/api/wallet/withdrawAll', 'BONUS_CONDITION', 409, '100'] as const);
  await button(page, say(`home:${word}`)).click();
  const sheet = dialog(page, say(`${word}:title`));
  await button(sheet, say(`${word}:submit`)).click();
  await expect(sheet.getByRole('alert').first()).toBeVisible();
  await look(page, word);
  await sheet.getByLabel(say(`${word}:amount`)).fill(amount);
  await answerOnce(page, path, { message: code }, status);
  await button(sheet, say(`${word}:submit`)).click();
  const failure = dialog(page, say(`${word}:failureTitle`));
  await expect(failure).toBeVisible();
  await look(page, `${word} that is refused`);
  await page.keyboard.press('Escape');
  await expect(failure).toBeHidden();
  if (word === 'withdraw')
    await answerOnce(page, path, { reference: 'TOUR', status: 'PROCESSING', amount: 100, notBrought: [] });
  await button(sheet, say(`${word}:submit`)).click();
  await expect(dialog(page, say(`${word}:successTitle`))).toBeVisible();
  await look(page, `${word} that is accepted`);
  await button(dialog(page, say(`${word}:successTitle`)), say('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** The wheel, a spin that wins money whatever was drawn, and its coupon, which is claimed. */
async function wheel(page: Page, say: Say, look: Look): Promise<void> {
  const setup = page.waitForResponse('**/api/spinwheel/setup');
  await openWheel(page);
  await look(page, 'wheel');
  const { sliceList } = ((await (await setup).json()) as Setup).result.activeSpinwheel;
  const prize = sliceList.find(({ prizeKind }) => prizeKind === 'MONEY');
  if (!prize) throw new Error('no slice gives money');
  const { code, label } = prize;
  await page.route('**/api/spinwheel/spin', async (route) => {
    const response = await route.fetch();
    const spun = (await response.json()) as Spin;
    await route.fulfill({ json: { ...spun, result: { ...spun.result, code, label, hasPrize: true } } });
  });
  const slice = { code, label };
  const coupon = {
    _id: 'TOUR',
    prize: { name: label, kind: 'MONEY', slice },
    amount: 20,
    state: 'OPEN',
    condition: null,
  };
  const coupons = [{ ...coupon, expiresAt: null, createdAt: new Date().toISOString() }];
  await page.route('**/api/spinwheel/coupon', (route) => route.fulfill({ json: { coupons } }));
  await spinOnPage(page, say);
  await expect(dialog(page, say('spinwheel:prizeTitle'))).toBeVisible();
  await look(page, 'a prize');
  await closePrize(page, say);
  await page.getByRole('table').getByRole('button').first().click();
  const question = dialog(page, say('spinwheel:claimTitle'));
  await expect(question).toBeVisible();
  await look(page, 'a claim');
  await answerOnce(page, '**/api/spinwheel/coupon/claim', {
    success: true,
    error: null,
    result: { label, kind: 'MONEY', amount: 20, coin: 0 },
  });
  await button(question, say('spinwheel:claimConfirm')).click();
  const claimed = dialog(page, say('spinwheel:claimedTitle'));
  await expect(claimed).toBeVisible();
  await look(page, 'a claim that was paid');
  await button(claimed, say('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** The pages of a member who has some money, and the dialogs that open from them. */
export async function memberPages(page: Page, say: Say, member: Member, look: Look): Promise<void> {
  await fund(member, 321);
  await openGame(member, 'pg');
  await transfer(member, 'WALLET', 'pg', 20);
  // KTB wants an English name of who is paid.
  await page.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { bankAccount: object };
    const bankAccount = { ...wallet.bankAccount, bankCode: 'KTB', bankAccountName: member.name };
    await route.fulfill({ response, json: { ...wallet, bankAccount } });
  });
  await page.goto('/user/home');
  const agreement = dialog(page, say('agreement:title'));
  await comes(agreement);
  await look(page, 'agreement');
  await button(agreement, say('agreement:accept')).click();
  await expect(agreement).toBeHidden();
  await look(page, 'home');
  await inSheet(page, button(page, say('home:deposit')), say('deposit:title'), async (sheet) => {
    await expect(ways(sheet, say, 'qr').first()).toBeVisible();
    await look(page, 'ways to deposit');
    // The first method opens in a wide window, and stays open when it gets narrow.
    const back = button(sheet, say('deposit:otherWays'));
    if (await back.isVisible()) await back.click();
    await ways(sheet, say, 'qr').first().click();
    await expect(button(sheet, say('deposit:create'))).toBeVisible();
    await look(page, 'deposit form');
    await button(sheet, '50').click();
    await button(sheet, say('deposit:create')).click();
    await expect(sheet.getByRole('timer')).toBeVisible();
    await look(page, 'live QR');
    // A wide window has the list beside.
    if (await back.isVisible()) await back.click();
    await ways(sheet, say, 'bank')
      .filter({ hasText: /กสิกรไทย|ກະສິກອນໄທ|kasikorn/i })
      .click();
    await button(sheet, say('deposit:copyNumber')).click();
    await expect(dialog(page, say('deposit:editName'))).toBeVisible();
    await look(page, 'edit of the account name');
    await page.keyboard.press('Escape');
    await expect(dialog(page, say('deposit:editName'))).toBeHidden();
  });
  await inForm(page, say, 'transfer', look);
  await inForm(page, say, 'withdraw', look);
  for (const [tile, there] of [
    ['invite', (sheet: Locator) => sheet.getByRole('img', { name: say('invite:qr') })],
    ['refund', (sheet: Locator) => sheet.getByText(say('refund:none'))],
  ] as const) {
    await button(page, say(`home:${tile}`)).click();
    const sheet = dialog(page, say(`${tile}:title`));
    await expect(sheet.locator('.prose').first()).toBeVisible();
    await look(page, `banners of ${tile}`);
    await button(sheet, say('parts:carousel.goOn')).click();
    await expect(there(sheet)).toBeVisible();
    await look(page, tile);
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
  }
  await inSheet(page, card(page, GAME), GAME, async (sheet) => {
    await button(sheet, say('game:show')).click();
    await expect(sheet.getByRole('region', { name: say('game:credentials') })).toBeVisible();
    await look(page, 'game');
  });
  await page.goto('/user/statement');
  await expect(page.getByRole('list', { name: say('statement:title') })).toBeVisible();
  await look(page, 'statement');
  await inSheet(page, button(page, say('statement:slips.open')), say('statement:slips.title'), async (sheet) => {
    await expect(sheet.getByText(say('statement:slips.empty'))).toBeVisible();
    await look(page, 'slips');
  });
  await bonuses(page, say, look);
  await wheel(page, say, look);
  await page.getByText(say('spinwheel:verify')).click();
  await expect(page.getByText(say('fairness:sealed')).first()).toBeVisible();
  await look(page, 'wheel, after a spin, with its proofs');
  await page.goto('/user/profile');
  await expect(page.getByText(member.id)).toBeVisible();
  await look(page, 'profile');
  await inSheet(page, button(page, say('profile:edit')), say('profile:edit'), () => look(page, 'edit of the profile'));
  await inSheet(page, button(page, say('profile:changePassword')), say('profile:changePassword'), () =>
    look(page, 'change of password'),
  );
  await page.goto('/user/contact');
  await expect(page.getByRole('figure')).toBeVisible();
  await look(page, 'contact');
}
