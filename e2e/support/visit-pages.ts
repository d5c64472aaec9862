import type { Locator, Page } from '@playwright/test';
import { newAccountNo, newPhone, type Member } from './member.ts';
import { fundWallet, openGameAccount, transferMoney } from './money.ts';
import { readNewestSms } from './simulators.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';
import {
  buttonByName,
  gameCard,
  expectAgreementVisible,
  dialogByName,
  depositMethodButtons,
  sendWithdrawal,
} from './user-actions.ts';
import { closePrize, openWheel, type WheelSetup, type SpinReply, spinOnPage } from './wheel.ts';

const GAME_NAME = 'PG SLOT';

/** Checks the current page. */
export type PageCheck = (page: Page, name: string) => Promise<void>;

/** Waits until no reply and no animation is pending, except endless and scroll-driven animations. */
export const waitForPageSettled = async (page: Page): Promise<void> => {
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
export async function visitPublicPages(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  for (const path of ['/login', '/contact', '/no-such-page']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    if (path === '/contact') await expect(page.getByRole('figure')).toBeVisible();
    await checkPage(page, path);
  }
  await page.goto('/howto');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await checkPage(page, '/howto');
  const title = translate('howto:tutorial.game.title');
  await checkInSheet(page, page.getByRole('main').getByRole('button', { name: title }), title, () =>
    checkPage(page, 'tutorial'),
  );
}

/** Visits each step of registration, with its validation errors. */
export async function visitRegisterSteps(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  const phone = newPhone();
  await page.goto('/register');
  await expect(page.getByLabel(translate('register:phone'))).toBeVisible();
  await checkPage(page, 'phone');
  await buttonByName(page, translate('common:next')).click();
  await expect(page.getByText(translate('register:phoneDigits'))).toBeVisible();
  await checkPage(page, 'phone that is wrong');
  await page.getByLabel(translate('register:phone')).fill(phone);
  await buttonByName(page, translate('common:next')).click();
  await expect(page.getByLabel(translate('register:code'), { exact: true })).toBeVisible();
  await checkPage(page, 'code');
  await page.getByLabel(translate('register:code'), { exact: true }).fill((await readNewestSms(phone)).code);
  await expect(page.getByRole('heading', { name: translate('register:stepProfile') })).toBeVisible();
  await checkPage(page, 'profile');
  await page.getByLabel(translate('register:name')).fill('ทดสอบ');
  await page.getByLabel(translate('register:password'), { exact: true }).fill('Basket-of-gold-9');
  await page.getByLabel(translate('register:confirmPassword')).fill('Basket-of-gold-9');
  await page.getByLabel(translate('register:source')).selectOption({ index: 1 });
  await buttonByName(page, translate('common:next')).click();
  await page.getByLabel(translate('register:accountNo')).fill(newAccountNo());
  await buttonByName(page, translate('register:submit')).click();
  await expect(page.getByText(translate('register:bankRequired'))).toBeVisible();
  await checkPage(page, 'bank, with what is missing');
  await page.getByLabel(translate('register:bank'), { exact: true }).locator('xpath=..').locator('button').click();
  const picker = dialogByName(page, translate('register:bank'));
  await expect(picker.getByRole('listitem').first()).toBeVisible();
  await checkPage(page, 'list of banks');
  await page.keyboard.press('Escape');
  await expect(picker).toBeHidden();
}

/** Opens a sheet, checks it, and closes it. */
export async function checkInSheet(
  page: Page,
  opener: Locator,
  title: string,
  checkSheet: (sheet: Locator) => Promise<void>,
): Promise<void> {
  await opener.click();
  const sheet = dialogByName(page, title);
  await expect(sheet).toBeVisible();
  await checkSheet(sheet);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
}

/** Visits the bonus list, an unknown code, a received bonus, and giving it up. */
async function visitBonuses(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  await page.goto('/user/bonus');
  const allBonuses = page.getByRole('region', { name: translate('bonus:all') });
  await expect(allBonuses.getByRole('button').first()).toBeVisible();
  await buttonByName(page, translate('bonus:promotion.search')).click();
  await checkPage(page, 'bonuses, without a code');
  await page.getByLabel(translate('bonus:promotion.label')).fill('nobody');
  const code = translate('bonus:promotion.title', { code: 'NOBODY' });
  await checkInSheet(page, buttonByName(page, translate('bonus:promotion.search')), code, () =>
    checkPage(page, 'an unknown code'),
  );
  await allBonuses.getByRole('button').first().click();
  const offer = page.getByRole('dialog');
  await buttonByName(offer, translate('bonus:receive')).click();
  await expect(offer).toContainText(translate('bonus:received.where'));
  await checkPage(page, 'a bonus that was just received');
  await page.keyboard.press('Escape');
  await expect(offer).toHaveCount(0);
  await expect(page.getByRole('progressbar').first()).toBeVisible();
  await checkPage(page, 'bonus in use');
  await allBonuses.getByRole('button').nth(1).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await checkPage(page, 'bonus');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await checkInSheet(page, buttonByName(page, translate('bonus:cancel.open')), translate('bonus:cancel.title'), () =>
    checkPage(page, 'giving a bonus up'),
  );
}

/** Mocks the next reply of a path. */
const mockNextReply = (page: Page, path: string, json: object, status = 200): Promise<unknown> =>
  page.route(path, (route) => route.fulfill({ status, json }), { times: 1 });

/** Checks a form with validation errors, with a refusal, and with success. */
async function checkForm(
  page: Page,
  translate: Translate,
  formName: 'transfer' | 'withdraw',
  checkPage: PageCheck,
): Promise<void> {
  const [path, code, status, amount] =
    formName === 'transfer'
      ? (['**/api/wallet/transfer', 'TRANSFER_FAIL', 502, '5'] as const)
      : (['**/api/wallet/withdrawAll', 'BONUS_CONDITION', 409, '100'] as const);
  await buttonByName(page, translate(`home:${formName}`)).click();
  const sheet = dialogByName(page, translate(`${formName}:title`));
  await buttonByName(sheet, translate(`${formName}:submit`)).click();
  await expect(sheet.getByRole('alert').first()).toBeVisible();
  await checkPage(page, formName);
  await sheet.getByLabel(translate(`${formName}:amount`)).fill(amount);
  await mockNextReply(page, path, { message: code }, status);
  const send = (): Promise<void> =>
    formName === 'withdraw'
      ? sendWithdrawal(sheet, translate)
      : buttonByName(sheet, translate('transfer:submit')).click();
  await send();
  const failureDialog = dialogByName(page, translate(`${formName}:failureTitle`));
  await expect(failureDialog).toBeVisible();
  await checkPage(page, `${formName} that is refused`);
  await page.keyboard.press('Escape');
  await expect(failureDialog).toBeHidden();
  if (formName === 'withdraw')
    await mockNextReply(page, path, { reference: 'TOUR', status: 'PROCESSING', amount: 100, notBrought: [] });
  await send();
  await expect(dialogByName(page, translate(`${formName}:successTitle`))).toBeVisible();
  await checkPage(page, `${formName} that is accepted`);
  await buttonByName(dialogByName(page, translate(`${formName}:successTitle`)), translate('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Visits the wheel, a mocked winning spin, and claiming its coupon. */
async function visitWheel(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  const setup = page.waitForResponse('**/api/spinwheel/setup');
  await openWheel(page);
  await checkPage(page, 'wheel');
  const { sliceList } = ((await (await setup).json()) as WheelSetup).result.activeSpinwheel;
  const moneySlice = sliceList.find(({ prizeKind }) => prizeKind === 'MONEY');
  if (!moneySlice) throw new Error('no slice gives money');
  const { code, label } = moneySlice;
  await page.route('**/api/spinwheel/spin', async (route) => {
    const response = await route.fetch();
    const spinReply = (await response.json()) as SpinReply;
    await route.fulfill({ json: { ...spinReply, result: { ...spinReply.result, code, label, hasPrize: true } } });
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
  await spinOnPage(page, translate);
  await expect(dialogByName(page, translate('spinwheel:prizeTitle'))).toBeVisible();
  await checkPage(page, 'a prize');
  await closePrize(page, translate);
  await page.getByRole('table').getByRole('button').first().click();
  const question = dialogByName(page, translate('spinwheel:claimTitle'));
  await expect(question).toBeVisible();
  await checkPage(page, 'a claim');
  await mockNextReply(page, '**/api/spinwheel/coupon/claim', {
    success: true,
    error: null,
    result: { label, kind: 'MONEY', amount: 20, coin: 0 },
  });
  await buttonByName(question, translate('spinwheel:claimConfirm')).click();
  const claimedDialog = dialogByName(page, translate('spinwheel:claimedTitle'));
  await expect(claimedDialog).toBeVisible();
  await checkPage(page, 'a claim that was paid');
  await buttonByName(claimedDialog, translate('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Visits the pages of a member with some money, and their dialogs. */
export async function visitMemberPages(
  page: Page,
  translate: Translate,
  member: Member,
  checkPage: PageCheck,
): Promise<void> {
  await fundWallet(member, 321);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 20);
  // KTB requires an English name of the payee.
  await page.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { bankAccount: object };
    const bankAccount = { ...wallet.bankAccount, bankCode: 'KTB', bankAccountName: member.name };
    await route.fulfill({ response, json: { ...wallet, bankAccount } });
  });
  await page.goto('/user/home');
  const agreementDialog = dialogByName(page, translate('agreement:title'));
  await expectAgreementVisible(agreementDialog);
  await checkPage(page, 'agreement');
  await buttonByName(agreementDialog, translate('agreement:accept')).click();
  await expect(agreementDialog).toBeHidden();
  await checkPage(page, 'home');
  await checkInSheet(page, buttonByName(page, translate('home:deposit')), translate('deposit:title'), async (sheet) => {
    await expect(depositMethodButtons(sheet, translate, 'qr').first()).toBeVisible();
    await checkPage(page, 'ways to deposit');
    // The first method is open in a wide window, and stays open when the window narrows.
    const backButton = buttonByName(sheet, translate('deposit:otherWays'));
    if (await backButton.isVisible()) await backButton.click();
    await depositMethodButtons(sheet, translate, 'qr').first().click();
    await expect(buttonByName(sheet, translate('deposit:create'))).toBeVisible();
    await checkPage(page, 'deposit form');
    await buttonByName(sheet, '50').click();
    await buttonByName(sheet, translate('deposit:create')).click();
    await expect(sheet.getByRole('timer')).toBeVisible();
    await checkPage(page, 'live QR');
    // In a wide window the list is beside the method.
    if (await backButton.isVisible()) await backButton.click();
    await depositMethodButtons(sheet, translate, 'bank')
      .filter({ hasText: /กสิกรไทย|ກະສິກອນໄທ|kasikorn/i })
      .click();
    await buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(dialogByName(page, translate('deposit:editName'))).toBeVisible();
    await checkPage(page, 'edit of the account name');
    await page.keyboard.press('Escape');
    await expect(dialogByName(page, translate('deposit:editName'))).toBeHidden();
  });
  await checkForm(page, translate, 'transfer', checkPage);
  await checkForm(page, translate, 'withdraw', checkPage);
  for (const [tile, expectedElement] of [
    ['invite', (sheet: Locator) => sheet.getByRole('img', { name: translate('invite:qr') })],
    ['refund', (sheet: Locator) => sheet.getByText(translate('refund:none'))],
  ] as const) {
    await buttonByName(page, translate(`home:${tile}`)).click();
    const sheet = dialogByName(page, translate(`${tile}:title`));
    await expect(sheet.locator('.prose').first()).toBeVisible();
    await checkPage(page, `banners of ${tile}`);
    await buttonByName(sheet, translate('parts:carousel.goOn')).click();
    await expect(expectedElement(sheet)).toBeVisible();
    await checkPage(page, tile);
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
  }
  await checkInSheet(page, gameCard(page, GAME_NAME), GAME_NAME, async (sheet) => {
    await sheet.locator('summary', { hasText: translate('game:more') }).click();
    await buttonByName(sheet, translate('game:show')).click();
    await expect(sheet.getByRole('region', { name: translate('game:credentials') })).toBeVisible();
    await checkPage(page, 'game');
  });
  await page.goto('/user/statement');
  await expect(page.getByRole('list', { name: translate('statement:title') })).toBeVisible();
  await checkPage(page, 'statement');
  await checkInSheet(
    page,
    buttonByName(page, translate('statement:slips.open')),
    translate('statement:slips.title'),
    async (sheet) => {
      await expect(sheet.getByText(translate('statement:slips.empty'))).toBeVisible();
      await checkPage(page, 'slips');
    },
  );
  await visitBonuses(page, translate, checkPage);
  await visitWheel(page, translate, checkPage);
  await page.getByText(translate('spinwheel:verify')).click();
  await expect(page.getByText(translate('fairness:sealed')).first()).toBeVisible();
  await checkPage(page, 'wheel, after a spin, with its proofs');
  await page.goto('/user/profile');
  await expect(page.getByText(member.id)).toBeVisible();
  await checkPage(page, 'profile');
  await checkInSheet(page, buttonByName(page, translate('profile:edit')), translate('profile:edit'), () =>
    checkPage(page, 'edit of the profile'),
  );
  await checkInSheet(
    page,
    buttonByName(page, translate('profile:changePassword')),
    translate('profile:changePassword'),
    () => checkPage(page, 'change of password'),
  );
  await page.goto('/user/contact');
  await expect(page.getByRole('figure')).toBeVisible();
  await checkPage(page, 'contact');
}
