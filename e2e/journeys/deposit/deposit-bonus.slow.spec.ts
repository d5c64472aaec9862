import {
  type DepositBonusObstacle as Obstacle,
  depositBonusObstacles as obstacles,
} from '@krapao/contract/endpoints/bonus';
import type { Locator, Page } from '@playwright/test';
import { expectAccessible, expectNoHorizontalOverflow } from '../../support/accessible.ts';
import { receiveBonus, WELCOME_BONUS_NAME } from '../../support/bonus.ts';
import { depositSheet, openDepositMethod, openDepositSheet } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, memberAsPayer, readWallet } from '../../support/money.ts';
import { strip } from '../../support/pending.ts';
import { makeGift, payQr, transferToBank } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const WELCOME = 'WELCOME';
const WELCOME_NAMES = { th: WELCOME_BONUS_NAME, la: 'ໂບນັດຕ້ອນຮັບ 100%', en: 'Welcome bonus 100%' } as const;
const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
const GSB_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };

const shot = (name: string): string => test.info().outputPath(`${name}.png`);
const question = (sheet: Locator, say = translate): Locator => sheet.getByLabel(say('deposit:advice.howMuch'));
/** The button that shows the choice and opens it. */
const choiceButton = (container: Locator, say = translate): Locator =>
  container.getByRole('button', { name: `${say('deposit:bonus.label')}: ` });
const options = (container: Locator, say = translate): Locator =>
  container.getByRole('group', { name: say('deposit:bonus.choose') }).getByRole('radio');
const welcomeOption = (container: Locator): Locator => options(container).and(container.locator(`[value=${WELCOME}]`));
/** What the welcome bonus gives on 100 baht, and its condition: three times both, or bets of eight times both. */
const ON_100 = { target: '฿600.00', turnover: '฿1,600.00' };
const conditionOn100 = (say = translate): string => say('deposit:bonus.locksOrTurnover', ON_100);

async function chooseWelcome(container: Locator): Promise<void> {
  await choiceButton(container).click();
  await welcomeOption(container).check();
}

/** Pays by QR in the question, with the welcome bonus. @returns the code's payload */
async function createQrWithWelcome(page: Page): Promise<string> {
  const sheet = await openDepositSheet(page);
  await question(sheet).fill('100');
  await chooseWelcome(sheet);
  const created = page.waitForResponse(
    (response) => /\/api\/qrcode\/\w+$/.test(response.url()) && response.request().method() === 'POST',
  );
  await sheet.getByRole('button', { name: translate('deposit:advice.payAmountByQr', { amount: '฿100.00' }) }).click();
  const { payload } = (await (await created).json()) as { payload: string };
  await expect(sheet.getByRole('timer')).toBeVisible();
  return payload;
}

const TITLES = {
  qr: translate('statement:deposit', { from: 'KBANK' }),
  slip: translate('statement:depositBank', { bank: 'GSB' }),
  gift: translate('statement:depositWalletApp'),
} as const;

/** The timeline of the newest deposit, from the statement. */
async function openTimeline(page: Page, kind: keyof typeof TITLES): Promise<Locator> {
  await page.goto('/user/statement');
  await page.getByRole('main').getByRole('listitem').filter({ hasText: '฿100.00' }).last().getByRole('button').click();
  const sheet = dialogByName(page, TITLES[kind]);
  await expect(sheet).toBeVisible();
  return sheet;
}
const bonusStep = (sheet: Locator): Locator => sheet.locator('[data-step=bonus]');

const waitForBalance = (member: Member, amount: number): Promise<void> =>
  expect.poll(async () => (await readWallet(member)).wallet.amount, { timeout: 30_000 }).toBe(amount);

for (const [language, viewport, colorScheme] of [
  ['th', { width: 390, height: 844 }, 'dark'],
  ['th', { width: 844, height: 390 }, 'dark'],
  ['th', { width: 1280, height: 800 }, 'light'],
  ['la', { width: 320, height: 568 }, 'light'],
  ['en', { width: 320, height: 568 }, 'dark'],
] as const) {
  test.describe(`the choice in ${language} at ${viewport.width}, ${colorScheme}`, () => {
    test.use({ viewport, colorScheme });

    test('no bonus is selected at first; each shows its amount and until when it locks withdrawals [R-WALLET-01]', async ({
      memberPage: page,
    }) => {
      const say = translatorFor(language);
      await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
      await openHome(page);
      await buttonByName(page, say('home:deposit')).click();
      const sheet = dialogByName(page, say('deposit:title'));
      const form = sheet.locator('form').filter({ has: page.getByLabel(say('deposit:advice.howMuch')) });
      const choice = choiceButton(form, say);
      await expect(choice).toContainText(say('deposit:bonus.none'));
      await expect(choice).toContainText(say('deposit:bonus.noneNote'));
      await expect(choice).toHaveAttribute('aria-expanded', 'false');
      await choice.click();
      await expect(options(form, say).first()).toBeChecked();
      const welcome = form.getByRole('radio', { name: WELCOME_NAMES[language] });
      const label = form.locator('label').filter({ has: page.locator(`[value=${WELCOME}]`) });
      await expect(label).toContainText(say('deposit:bonus.givesUpTo', { percent: 100, maximum: '฿500.00' }));
      await expect(label).toContainText(say('deposit:bonus.locksPercentOrTurnover', { percent: 300, times: 8 }));
      await question(sheet, say).fill('99');
      await expect(welcome).toBeDisabled();
      await expect(label).toContainText(say('deposit:bonus.from', { amount: '฿100.00' }));
      await question(sheet, say).fill('100');
      await expect(label).toContainText(say('deposit:bonus.gives', { amount: '฿100.00' }));
      await expect(label).toContainText(conditionOn100(say));
      await expect(form.locator('[type=submit]')).toHaveCSS('opacity', '1');
      await expectAccessible(page, 'the open choice');
      await expectNoHorizontalOverflow(page, 'the open choice');
      for (const one of await form.locator('label:has([type=radio])').all())
        expect((await one.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44);
      await page.screenshot({ path: shot('open'), animations: 'disabled' });
      // A press closes the choice; the arrow keys only move through it.
      await options(form, say).first().press('ArrowDown');
      await expect(options(form, say).nth(1)).toBeFocused();
      await welcome.click();
      await expect(welcome).toHaveCount(0);
      await expect(choice).toBeFocused();
      await expect(choice).toContainText(conditionOn100(say));
      await page.screenshot({ path: shot('chosen'), animations: 'disabled' });
      await question(sheet, say).fill('99');
      await expect(choice).toContainText(say('deposit:bonus.without', { amount: '฿100.00' }));
      await page.keyboard.press('Escape');
      await expect(sheet).toHaveCount(0);
      await buttonByName(page, say('home:deposit')).click();
      await expect(choice).toContainText(say('deposit:bonus.none'));
    });
  });
}

test('a bonus chosen with a deposit is credited with it: code, end view and timeline show it [R-WALLET-01] [R-WALLET-05]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const payload = await createQrWithWelcome(page);
  const sheet = depositSheet(page);
  await expect(sheet.getByText(conditionOn100())).toBeVisible();
  await expectAccessible(page, 'a code with a bonus');
  await page.screenshot({ path: shot('code'), animations: 'disabled' });
  await payQr(payload, memberAsPayer(member));
  const received = { amount: '฿100.00', name: WELCOME_BONUS_NAME };
  await expect(sheet.getByText(translate('deposit:arrived'))).toBeVisible();
  await expect(sheet.getByText(translate('deposit:bonus.received', received))).toBeVisible();
  await expect(sheet).toContainText('฿200.00');
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  await page.screenshot({ path: shot('end'), animations: 'disabled' });
  await waitForBalance(member, 200);
  const timeline = await openTimeline(page, 'qr');
  await expect(bonusStep(timeline)).toContainText(translate('money:bonus.received', received));
  await page.screenshot({ path: shot('timeline'), animations: 'disabled' });
  // While its condition is open, no bonus is offered.
  await page.goto('/user/home');
  await openHome(page);
  await openDepositSheet(page);
  await expect(question(sheet)).toBeVisible();
  await expect(choiceButton(sheet)).toHaveCount(0);
});

test('a chosen bonus is credited while the app is closed [R-WALLET-01] [R-WALLET-05]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const payload = await createQrWithWelcome(page);
  await page.goto('about:blank');
  await payQr(payload, memberAsPayer(member));
  await waitForBalance(member, 200);
  const timeline = await openTimeline(page, 'qr');
  await expect(bonusStep(timeline)).toContainText(WELCOME_BONUS_NAME);
});

test('on another page the strip of pending items names the bonus beside the deposit [R-WALLET-01] [R-WALLET-02]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const payload = await createQrWithWelcome(page);
  await page.goto('/user/profile');
  await expect(strip(page, translate)).toBeVisible();
  // The end is shown for some seconds only, so the wait starts before it appears.
  await Promise.all([
    expect(
      strip(page, translate).getByText(
        translate('money:ended.depositWithBonus', { amount: '฿100.00', bonus: '฿100.00' }),
      ),
    ).toBeVisible({ timeout: 20_000 }),
    payQr(payload, memberAsPayer(member)),
  ]);
});

test('a chosen bonus that cannot be received leaves the deposit unchanged; end view and timeline show the reason [R-WALLET-01] [R-WALLET-05]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const payload = await createQrWithWelcome(page);
  await page.goto('about:blank');
  // Another bonus starts on a transfer that comes first.
  await transferToBank(memberAsPayer(member), SCB_ACCOUNT, 300);
  await waitForBalance(member, 300);
  await receiveBonus(member, 'DAILY');
  await page.goto('/user/home');
  await openHome(page);
  const sheet = await openDepositSheet(page);
  await expect(sheet.getByRole('timer')).toBeVisible();
  await payQr(payload, memberAsPayer(member));
  await expect(sheet.getByText(translate('deposit:bonus.refused', { name: WELCOME_BONUS_NAME }))).toBeVisible();
  await page.screenshot({ path: shot('end-refused'), animations: 'disabled' });
  await buttonByName(sheet, translate('deposit:bonus.why')).click();
  const timeline = dialogByName(page, TITLES.qr);
  for (const key of ['why.BONUS_ALREADY_ACTIVE', 'unchanged'])
    await expect(bonusStep(timeline)).toContainText(translate(`money:bonus.${key}`));
  await expectAccessible(page, 'the timeline of a refused bonus');
  await page.screenshot({ path: shot('refused'), animations: 'disabled' });
  await waitForBalance(member, 430);
});

test('a chosen bonus that ended before the code exists refuses the request, and the deposit works without it [R-WALLET-01]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const sheet = await openDepositSheet(page);
  await question(sheet).fill('100');
  await chooseWelcome(sheet);
  const bodies: unknown[] = [];
  await page.route('**/api/qrcode/*', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ status: 404, json: { message: 'NO_PROMOTION' } });
  });
  await page.route('**/api/deposit/bonuses', (route) => route.fulfill({ json: { bonuses: [], obstacle: null } }));
  await sheet.getByRole('button', { name: translate('deposit:advice.payAmountByQr', { amount: '฿100.00' }) }).click();
  await expect(page.locator('[data-toast=danger]')).toContainText(translate('deposit:bonus.gone'));
  await expect(choiceButton(sheet)).toHaveCount(0);
  await expect(question(sheet)).toHaveValue('100');
  await page.unroute('**/api/qrcode/*');
  await sheet.getByRole('button', { name: translate('deposit:advice.payAmountByQr', { amount: '฿100.00' }) }).click();
  await expect(sheet.getByRole('timer')).toBeVisible();
  expect(bodies).toEqual([{ amount: 100, bonus: WELCOME }]);
  const { body } = await api<{ bonusCode: string | null }>('GET', '/api/qrcode/KBANK', { token: member.token });
  expect(body.bonusCode ?? null).toBeNull();
});

test('without a bonus the deposit names the obstacle, and offers the bonus when the obstacle ends [R-WALLET-01]', async ({
  memberPage: page,
  member,
  wire,
}) => {
  await fundWallet(member, 100);
  await openHome(page);
  const sheet = await openDepositSheet(page);
  const note = (key: 'notYet' | 'noOffer' | `obstacle.${Obstacle}`): Locator =>
    sheet.getByText(translate(`deposit:bonus.${key}`), { exact: true });
  await expect(note('notYet')).toBeVisible();
  await expect(note('obstacle.MONEY_LEFT')).toBeVisible();
  await expect(choiceButton(sheet)).toHaveCount(0);
  await expectAccessible(page, 'no bonus');
  let reply: object = { bonuses: [] };
  const bonusReplies = '**/api/deposit/bonuses';
  await page.route(bonusReplies, (route) => route.fulfill({ json: reply }));
  const openAgain = async (): Promise<void> => {
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    await openDepositSheet(page);
  };
  // The reply of an older server names no obstacle.
  wire.expectFault(/GET \/api\/deposit\/bonuses answered 200: obstacle/);
  await openAgain();
  await expect(note('noOffer')).toBeVisible();
  await expect(note('notYet')).toHaveCount(0);
  for (const obstacle of obstacles) {
    reply = { bonuses: [], obstacle };
    await openAgain();
    await expect(note(`obstacle.${obstacle}`)).toBeVisible();
    await page.screenshot({ path: shot(obstacle), animations: 'disabled' });
  }
  // The end of a withdrawal is an event.
  await page.unroute(bonusReplies);
  const { status } = await api('POST', '/api/wallet/withdraw', { token: member.token, body: { amount: 100 } });
  expect(status).toBe(200);
  await expect(choiceButton(sheet)).toBeVisible({ timeout: 30_000 });
  await expect(note('notYet')).toHaveCount(0);
});

test('bonuses that fail to load are not mentioned in the deposit [R-WALLET-01]', async ({ memberPage: page }) => {
  await page.route('**/api/deposit/bonuses', (route) => route.abort());
  await openHome(page);
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/deposit/bonuses'));
  const sheet = await openDepositSheet(page);
  await failed;
  await expect(question(sheet)).toBeVisible();
  await expect(sheet.locator('.animate-shimmer')).toHaveCount(0);
  for (const key of ['notYet', 'noOffer'])
    await expect(sheet.getByText(translate(`deposit:bonus.${key}`))).toHaveCount(0);
  await expect(choiceButton(sheet)).toHaveCount(0);
});

test("a chosen bonus is sent with a gateway's form, an announced transfer and a slip [R-WALLET-01]", async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const gateway = await openDepositMethod(page, 'qr', 'ธนาคารกสิกรไทย');
  await gateway.getByLabel(translate('deposit:amount'), { exact: true }).fill('100');
  await chooseWelcome(gateway);
  const qrRequest = page.waitForRequest(
    (request) => request.url().endsWith('/api/qrcode/KBANK') && request.method() === 'POST',
  );
  await buttonByName(gateway, translate('deposit:create')).click();
  expect((await qrRequest).postDataJSON()).toEqual({ amount: 100, bonus: WELCOME });
  await expect(gateway.getByRole('timer')).toBeVisible();
  await expect(gateway.getByText(conditionOn100())).toBeVisible();
  await buttonByName(gateway, translate('deposit:cancel')).click();
  await expect(gateway.getByRole('timer')).toHaveCount(0);

  await page.reload();
  const bank = await openDepositMethod(page, 'bank', 'ธนาคารไทยพาณิชย์');
  await bank.getByLabel(translate('deposit:announcementAmount')).fill('100');
  await chooseWelcome(bank);
  const announced = page.waitForRequest('**/api/wallet/add');
  await buttonByName(bank, translate('deposit:announcementGive')).click();
  expect((await announced).postDataJSON()).toEqual({
    amount: 100,
    bonus: WELCOME,
    bankCode: 'SCB',
    bankAccountNo: SCB_ACCOUNT.accountNo,
  });
  await expect(bank.getByRole('timer')).toBeVisible();
  await expect(bank.getByText(conditionOn100())).toBeVisible();
  await page.screenshot({ path: shot('notice'), animations: 'disabled' });

  await page.reload();
  const slip = await openDepositMethod(page, 'slip', translate('deposit:slip'));
  await chooseWelcome(slip);
  await page.screenshot({ path: shot('slip'), animations: 'disabled' });
  const { slipUrl } = await transferToBank(memberAsPayer(member), GSB_ACCOUNT, 100);
  const image = Buffer.from(await (await fetch(slipUrl)).arrayBuffer());
  await slip
    .getByLabel(translate('deposit:slipChoose'))
    .setInputFiles({ name: 'slip.png', mimeType: 'image/png', buffer: image });
  await buttonByName(slip, translate('deposit:slipSend')).click();
  // The welcome bonus is received on the slip.
  const received = { amount: '฿100.00', name: WELCOME_BONUS_NAME };
  await expect(slip.getByText(translate('deposit:bonus.received', received)).first()).toBeVisible();
  await waitForBalance(member, 200);
  const timeline = await openTimeline(page, 'slip');
  await expect(bonusStep(timeline)).toContainText(WELCOME_BONUS_NAME);
});

test('the end view of an announced transfer and the bell show the bonus that was credited with it [R-WALLET-01]', async ({
  memberPage: page,
  member,
}) => {
  await openHome(page);
  const bank = await openDepositMethod(page, 'bank', 'ธนาคารไทยพาณิชย์');
  await bank.getByLabel(translate('deposit:announcementAmount')).fill('100');
  await chooseWelcome(bank);
  const announced = page.waitForResponse('**/api/wallet/add');
  await buttonByName(bank, translate('deposit:announcementGive')).click();
  const { payAmount } = (await (await announced).json()) as { payAmount: number };
  await transferToBank(memberAsPayer(member), SCB_ACCOUNT, payAmount);
  const amount = `฿${payAmount.toFixed(2)}`;
  await expect(bank.getByText(translate('deposit:arrivedAmount', { amount }), { exact: true })).toBeVisible();
  const received = translate('deposit:bonus.received', { amount, name: WELCOME_BONUS_NAME });
  await expect(bank.getByText(received)).toBeVisible();
  await page.screenshot({ path: shot('end'), animations: 'disabled' });
  await buttonByName(bank, translate('deposit:finish')).click();
  await buttonByName(page, translate('push:bell.openUnread', { number: 1 })).click();
  const notice = dialogByName(page, translate('push:bell.title')).getByRole('listitem');
  await expect(notice).toContainText(translate('push:message.moneyIn.withBonus'));
  await expect(notice).toHaveText(new RegExp(`\\+${amount}.*${translate('push:bell.bonus')} \\+${amount}`));
  await page.screenshot({ path: shot('bell'), animations: 'disabled' });
});

test('a chosen bonus is credited for a gift link [R-WALLET-01]', async ({ memberPage: page, member }) => {
  await openHome(page);
  const { link } = await makeGift(100);
  const sheet = await openDepositMethod(page, 'wallet', translate('deposit:giftLink'));
  await sheet.getByLabel(translate('deposit:giftField')).fill(link);
  await chooseWelcome(sheet);
  await page.screenshot({ path: shot('gift'), animations: 'disabled' });
  await buttonByName(sheet, translate('deposit:giftSend')).click();
  await expect(sheet.getByText(translate('deposit:arrived'))).toBeVisible();
  await waitForBalance(member, 200);
  const timeline = await openTimeline(page, 'gift');
  await expect(bonusStep(timeline)).toContainText(WELCOME_BONUS_NAME);
});

test('a deposit without a chosen bonus is credited without one [R-WALLET-01]', async ({ memberPage: page, member }) => {
  await openHome(page);
  await fundWallet(member, 100);
  const timeline = await openTimeline(page, 'qr');
  await expect(timeline.locator('[data-step=credited]')).toBeVisible();
  await expect(bonusStep(timeline)).toHaveCount(0);
  expect((await readWallet(member)).wallet.amount).toBe(100);
});
