import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { activeBonusRegion, bonusCard, openBonusPage, receiveBonus, WELCOME_BONUS_NAME } from '../../support/bonus.ts';
import { chatInput } from '../../support/chat.ts';
import { depositSheet, openDepositMethod, openDepositSheet } from '../../support/deposit.ts';
import { openHome, openSheetAndCloseBanners } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import {
  buttonByName,
  depositMethodButtons,
  dialogByName,
  gameCard,
  sendWithdrawal,
} from '../../support/user-actions.ts';
import { earnWheelCoins, openWheel, spinButton } from '../../support/wheel.ts';

const translate = translatorFor('th');
const SCB_NAME = 'ธนาคารไทยพาณิชย์';
const REFERENCE = 'TREF2345678ABCD';
const ICON_URL = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
/** A refund that can be received, which a new system doesn't have. */
const ENDED_WEEK = {
  result: true,
  bonus: false,
  blockedBy: null,
  info: '',
  refundAmount: 49.5,
  refundSuccess: 0,
  refundFail: 0,
  periodFrom: '2026-11-08T17:00:00.000Z',
  periodTo: '2026-11-15T17:00:00.000Z',
  unfinished: false,
  condition: null,
};
type Kind = 'notice' | 'qr' | 'slip' | 'gift' | 'withdraw' | 'transfer' | 'bonus';

const ENDED_AT = '2020-01-01T00:00:00.000Z';
const askButton = (container: Page | Locator): Locator => buttonByName(container, translate('errors:support.ask'));
const refuse = (page: Page, path: string, message: string, status = 502): Promise<unknown> =>
  page.route(path, (route) => route.fulfill({ status, json: { message, reference: REFERENCE } }));

/** The question in the chat after a press, and that nothing was sent. */
async function expectQuestion(page: Page, kind: Kind, reference: string | null = REFERENCE): Promise<void> {
  const sent: string[] = [];
  page.on('request', (request) => request.url().endsWith('/send-message') && sent.push(request.url()));
  await askButton(page).last().click();
  await expect(page).toHaveURL(/\/user\/contact$/);
  const chat = dialogByName(page, translate('chat:title'));
  const kindName = translate(`money:kind.${kind}`);
  await expect(chatInput(chat, translate)).toHaveValue(
    reference === null
      ? translate('money:questionOfFailed', { kind: kindName })
      : translate('money:questionOfKind', { kind: kindName, reference }),
  );
  await expect(page.getByRole('dialog')).toHaveCount(1);
  const note = chat.getByRole('button', { name: translate('money:removeFromMessage') });
  await expect(note).toHaveCount(reference === null ? 0 : 1);
  expect(sent).toEqual([]);
}

async function openWithdraw(page: Page): Promise<Locator> {
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  const sheet = dialogByName(page, translate('withdraw:title'));
  await sheet.getByLabel(translate('withdraw:amount')).fill('100');
  return sheet;
}

async function openTransfer(page: Page): Promise<Locator> {
  await openHome(page);
  await buttonByName(page, translate('home:transfer')).click();
  const sheet = dialogByName(page, translate('transfer:title'));
  await sheet.getByLabel(translate('transfer:amount')).fill('5');
  return sheet;
}

test.describe('a message about a withdrawal or transfer that failed or is uncertain leads to support', () => {
  test('a refused withdrawal links to support', async ({ memberPage: page, member }) => {
    await fundWallet(member, 200);
    const sheet = await openWithdraw(page);
    await refuse(page, '**/api/wallet/withdrawAll', 'MONEY_NOT_ENOUGH', 400);
    await sendWithdrawal(sheet, translate);
    await expect(dialogByName(page, translate('withdraw:failureTitle'))).toBeVisible();
    await expectQuestion(page, 'withdraw');
  });

  test('a withdrawal without a reply links to support with the reference of the pending withdrawal', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 200);
    const sheet = await openWithdraw(page);
    await page.route('**/api/wallet/withdrawAll', (route) => route.abort());
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const withdrawal = { reference: REFERENCE, amount: 100, state: 'SENT', createdAt: new Date().toISOString() };
      await route.fulfill({ response, json: { ...((await response.json()) as object), withdrawal } });
    });
    await sendWithdrawal(sheet, translate);
    await expect(dialogByName(page, translate('withdraw:unknownTitle'))).toBeVisible();
    // The page behind the message knows the pending withdrawal.
    await expect(page.locator('dt', { hasText: translate('home:withdrawing') })).toBeAttached();
    await expectQuestion(page, 'withdraw');
  });

  test('a withdrawal that the bank refuses later links to support', async ({ memberPage: page, member }) => {
    await fundWallet(member, 200);
    const { body } = await api<{ reference: string }>('POST', '/api/wallet/withdraw', {
      token: member.token,
      body: { amount: 100 },
    });
    await page.route('**/api/statement', async (route) => {
      const response = await route.fetch();
      const reply = (await response.json()) as { statements: { reference: string }[] };
      const fail = (row: { reference: string }): object =>
        row.reference === body.reference ? { ...row, status: 'FAILED', amount: 0, reason: 'NAME_MISMATCH' } : row;
      await route.fulfill({ response, json: { ...reply, statements: reply.statements.map(fail) } });
    });
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const withdrawal = { reference: body.reference, amount: 100, state: 'SENT', createdAt: new Date().toISOString() };
      await route.fulfill({ response, json: { ...((await response.json()) as object), withdrawal } });
    });
    await openHome(page);
    await buttonByName(page, translate('home:withdrawing')).click();
    await expect(dialogByName(page, translate('withdraw:failureTitle'))).toBeVisible();
    await expectQuestion(page, 'withdraw', body.reference);
  });

  test('a transfer without a reply, and a pending one, link to support', async ({ memberPage: page, member }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    const sheet = await openTransfer(page);
    await page.route('**/api/wallet/transfer', (route) => route.abort());
    await buttonByName(sheet, translate('transfer:submit')).click();
    await expect(dialogByName(page, translate('transfer:unknownTitle'))).toBeVisible();
    await expectQuestion(page, 'transfer', null);
    await page.unroute('**/api/wallet/transfer');
    await page.route('**/api/wallet/transfer', (route) =>
      route.fulfill({
        status: 202,
        json: { message: 'PROCESSING', reference: REFERENCE, status: 'PROCESSING', amount: 5 },
      }),
    );
    const again = await openTransfer(page);
    await buttonByName(again, translate('transfer:submit')).click();
    await expect(dialogByName(page, translate('transfer:processingTitle'))).toBeVisible();
    await expectQuestion(page, 'transfer');
  });

  test('a refused transfer into a game, and a failed launch with money in the game, link to support', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openHome(page);
    const play = async (): Promise<void> => {
      await gameCard(page, 'PG SLOT').click();
      const dialog = dialogByName(page, 'PG SLOT');
      await dialog.getByLabel(translate('game:amount')).fill('30');
      await buttonByName(dialog, translate('game:transferAndPlay')).click();
    };
    await refuse(page, '**/api/wallet/transfer', 'TRANSFER_FAIL');
    await play();
    await expect(dialogByName(page, translate('transfer:failureTitle'))).toBeVisible();
    await expectQuestion(page, 'transfer');
    await page.unroute('**/api/wallet/transfer');
    await page.route('**/api/autoLogin/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'LAUNCH_REFUSED' } }),
    );
    await page.goto('/user/home');
    const moved = page.waitForResponse('**/api/wallet/transfer');
    await play();
    const { reference } = (await (await moved).json()) as { reference: string };
    await expect(page.getByText(translate('game:launchMoneyIn'))).toBeVisible();
    await expectQuestion(page, 'transfer', reference);
  });
});

test.describe('a message about a deposit that failed or is uncertain leads to support', () => {
  test('a QR that the gateway does not create, in the form or in the recommendation, and an expired QR link to support', async ({
    memberPage: page,
    member,
  }) => {
    await page.route('**/api/qrcode/*', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const none = { qrcodeId: null, qrcode: null, payload: null, amount: null, requested: null, expireIn: null };
      return route.fulfill({
        json: { ...none, hasQrcode: false, message: 'QR_FAIL', payee: null, reference: REFERENCE },
      });
    });
    await openHome(page);
    await openDepositSheet(page);
    await depositMethodButtons(depositSheet(page), translate, 'qr').first().click();
    await buttonByName(depositSheet(page), '50').click();
    await buttonByName(depositSheet(page), translate('deposit:create')).click();
    await expectQuestion(page, 'qr');
    await page.goto('/user/home');
    await openDepositSheet(page);
    await depositSheet(page)
      .getByRole('group', { name: translate('deposit:advice.amounts') })
      .getByRole('button')
      .first()
      .click();
    await depositSheet(page).getByRole('button', { name: /QR/ }).first().click();
    await expectQuestion(page, 'qr');
    await page.unroute('**/api/qrcode/*');
    const { body } = await api<{ reference: string; expireIn: string }>('POST', '/api/qrcode/KBANK', {
      token: member.token,
      body: { amount: 70 },
    });
    await page.route('**/api/qrcode/KBANK', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), expireIn: ENDED_AT } });
    });
    await page.goto('/user/home');
    await openDepositSheet(page);
    await expect(depositSheet(page).getByText(translate('deposit:expired'))).toBeVisible();
    await expectQuestion(page, 'qr', body.reference);
  });

  test('a slip that is refused immediately or after reading links to support', async ({ memberPage: page }) => {
    await openHome(page);
    const send = async (): Promise<Locator> => {
      const sheet = await openDepositMethod(page, 'slip', translate('deposit:slip'));
      await sheet
        .locator('input[type=file]')
        .first()
        .setInputFiles({
          name: 'slip.png',
          mimeType: 'image/png',
          buffer: await readFile(ICON_URL),
        });
      await buttonByName(sheet, translate('deposit:slipSend')).click();
      return sheet;
    };
    await page.route('**/api/wallet/slip', (route) =>
      route.fulfill({ status: 503, json: { message: 'SLIP_UPLOAD_FAIL', detail: 'STORAGE' } }),
    );
    await send();
    await expectQuestion(page, 'slip', null);
    await page.unroute('**/api/wallet/slip');
    await page.goto('/user/home');
    const stored = page.waitForResponse('**/api/wallet/slip');
    const sheet = await send();
    const { slip } = (await (await stored).json()) as { slip: { reference: string } };
    await expect(sheet.locator('[data-outcome=failed]')).toBeVisible({ timeout: 60_000 });
    await expectQuestion(page, 'slip', slip.reference);
  });

  test('a refused gift link links to support', async ({ memberPage: page }) => {
    await refuse(page, '**/api/wallet/truelink', 'TRUELINK_INVALID', 400);
    await openHome(page);
    const sheet = await openDepositMethod(page, 'wallet', translate('deposit:giftLink'));
    await sheet
      .getByLabel(translate('deposit:giftField'))
      .fill(`https://gift.truemoney.com/campaign/?v=${'a'.repeat(35)}`);
    await buttonByName(sheet, translate('deposit:giftSend')).click();
    await expectQuestion(page, 'gift');
  });

  test("a bank transfer that is unannounced, from another person's account or expired links to support", async ({
    memberPage: page,
  }) => {
    const open = async (): Promise<Locator> => {
      await openHome(page);
      const sheet = await openDepositMethod(page, 'bank', SCB_NAME);
      await sheet.getByLabel(translate('deposit:announcementAmount')).fill('77');
      return sheet;
    };
    await refuse(page, '**/api/wallet/add', 'INTERNAL_SERVER_ERROR', 500);
    await buttonByName(await open(), translate('deposit:announcementGive')).click();
    await expectQuestion(page, 'notice');
    await page.unroute('**/api/wallet/add');
    await page.route('**/api/wallet/add/*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), state: 'THIRD_PARTY' } });
    });
    const announce = async (): Promise<string> => {
      const sheet = await open();
      const reply = page.waitForResponse('**/api/wallet/add');
      await buttonByName(sheet, translate('deposit:announcementGive')).click();
      return ((await (await reply).json()) as { reference: string }).reference;
    };
    const reference = await announce();
    await expect(
      depositSheet(page).getByText(translate('deposit:announcementThirdParty', { amount: '฿77.00' })),
    ).toBeVisible();
    await expectQuestion(page, 'notice', reference);
    await page.route('**/api/wallet/add', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), expireIn: ENDED_AT } });
    });
    const expiredReference = await announce();
    await expect(depositSheet(page).getByText(translate('deposit:announcementOver'))).toBeVisible();
    await expectQuestion(page, 'notice', expiredReference);
  });
});

test.describe('a message about a bonus or prize that was not credited leads to support', () => {
  test('a bonus whose receipt or cancellation is refused links to support', async ({ memberPage: page, member }) => {
    await fundWallet(member, 100);
    await refuse(page, '**/api/bonus/activate/*', 'INTERNAL_SERVER_ERROR', 500);
    await openBonusPage(page);
    await bonusCard(page, WELCOME_BONUS_NAME).click();
    await buttonByName(dialogByName(page, WELCOME_BONUS_NAME), translate('bonus:receive')).click();
    await expectQuestion(page, 'bonus');
    await receiveBonus(member, 'WELCOME');
    const { body } = await api<{ condition: { reference: string } }>('GET', '/api/bonus/check/active', {
      token: member.token,
    });
    await page.route('**/api/bonus/clear', (route) =>
      route.fulfill({ status: 409, json: { message: 'BONUS_REMAINING' } }),
    );
    await openBonusPage(page);
    await buttonByName(activeBonusRegion(page), translate('bonus:cancel.open')).click();
    await buttonByName(dialogByName(page, translate('bonus:cancel.title')), translate('bonus:cancel.confirm')).click();
    await expectQuestion(page, 'bonus', body.condition.reference);
  });

  test('a refused prize, and a spin without a reply, link to support and keep what was typed in the chat before', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 1);
    const slice = { code: 'X', label: 'ทดสอบ' };
    const prize = { name: 'ทดสอบ', kind: 'MONEY', slice };
    const createdAt = new Date().toISOString();
    const coupon = { _id: 'TOUR', prize, amount: 20, state: 'OPEN', condition: null, expiresAt: null, createdAt };
    await page.route('**/api/spinwheel/coupon', (route) => route.fulfill({ json: { coupons: [coupon] } }));
    await page.route('**/api/spinwheel/coupon/claim', (route) =>
      route.fulfill({ json: { success: false, error: 'BONUS_ALREADY_ACTIVE', result: null } }),
    );
    await openWheel(page);
    await page.getByRole('table').getByRole('button').first().click();
    const claim = dialogByName(page, translate('spinwheel:claimTitle'));
    await buttonByName(claim, translate('spinwheel:claimConfirm')).click();
    await expect(dialogByName(page, translate('spinwheel:claimFailed'))).toBeVisible();
    await expectQuestion(page, 'bonus', null);
    await page.route('**/api/spinwheel/spin', (route) => route.abort());
    await openWheel(page);
    await spinButton(page, translate).click();
    await expect(buttonByName(page, translate('spinwheel:askAgain'))).toBeVisible();
    await expectQuestion(page, 'bonus', null);
  });

  test('a refund and an invite bonus that are not credited link to support', async ({ memberPage: page }) => {
    await page.route('**/api/refund/check', (route) => route.fulfill({ json: ENDED_WEEK }));
    await refuse(page, '**/api/refund/receive', 'INTERNAL_SERVER_ERROR', 500);
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    await buttonByName(sheet, translate('refund:receive', { amount: '฿49.50' })).click();
    await expectQuestion(page, 'bonus');
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const invite = { amount: 5, success: 150, fail: 10 };
      await route.fulfill({ response, json: { ...((await response.json()) as object), invite } });
    });
    await refuse(page, '**/api/invite/bonus', 'INVITE_BONUS_FAIL', 500);
    await openHome(page);
    await buttonByName(page, translate('home:receive')).click();
    const title = translate('invite:receiveTitle', { amount: '฿5.00' });
    await buttonByName(dialogByName(page, title), translate('invite:receive')).click();
    await expect(dialogByName(page, title)).toContainText(translate('errors:errorMsg.INVITE_BONUS_FAIL'));
    await expectQuestion(page, 'bonus');
  });
});
