import { expectAccessible } from '../../support/accessible.ts';
import { bonusCard, DAILY_BONUS_NAME, openBonusPage } from '../../support/bonus.ts';
import { fundWallet, readWallet } from '../../support/money.ts';
import { expect, test, waitForTimeBeforeMidnight } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Reasons why an offer can't be received now, and the buttons that remove them, in the order of their use. */
const remedies = [
  ['BONUS_REMAINING', 'MONEY_LEFT', ['toWithdraw', 'toGames']],
  ['BONUS_REMAINING', 'OPEN_BETS', ['toGames']],
  ['BONUS_CONDITION', 'NO_DEPOSIT', ['toDeposit']],
  ['BONUS_CONDITION', 'DEPOSIT_BELOW_MINIMUM', ['toDeposit']],
  ['BONUS_CONDITION', 'DEPOSIT_USED', ['toDeposit']],
  ['BONUS_CONDITION', 'DEPOSIT_PLAYED', ['toDeposit']],
  ['BONUS_CONDITION', 'WITHDRAWN_SINCE', ['toDeposit']],
] as const;

test.describe('obstacles to receiving a bonus', () => {
  test.beforeEach(waitForTimeBeforeMidnight);

  test('each obstacle to a bonus has one action that removes it, before the claim; where that is a retry, it is the claim', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    let unmet: { code: string; detail: string | null }[] = [];
    await page.route('**/api/bonus/requirements/*', (route) => route.fulfill({ json: { unmet } }));
    await openBonusPage(page);
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    const notice = offer.locator('section').filter({ hasText: translate('bonus:unmet') });
    const receive = buttonByName(offer, translate('bonus:receive'));
    const close = buttonByName(offer, translate('common:close')).last();
    const quietColour = (): Promise<string> => close.evaluate((element) => getComputedStyle(element).backgroundColor);
    const openOffer = async (): Promise<void> => {
      await bonusCard(page, DAILY_BONUS_NAME).click();
      await expect(receive).toBeVisible();
      // The pointer on a button would change its colour.
      await page.mouse.move(0, 0);
    };
    const closeOffer = async (): Promise<void> => {
      await close.click();
      await expect(offer).toHaveCount(0);
    };
    for (const [code, detail, buttons] of remedies) {
      unmet = [{ code, detail }];
      await openOffer();
      await expect(notice.getByRole('listitem')).toHaveText([translate(`bonus:refused.${detail}`)]);
      await expect(notice.getByRole('button')).toHaveText(buttons.map((button) => translate(`bonus:${button}`)));
      await expect(receive).toHaveCSS('background-color', await quietColour());
      await closeOffer();
    }
    // A deposit is useless while money is left.
    unmet = [
      { code: 'BONUS_CONDITION', detail: 'WITHDRAWN_SINCE' },
      { code: 'BONUS_REMAINING', detail: 'MONEY_LEFT' },
    ];
    await openOffer();
    await expect(notice.getByRole('listitem').first()).toHaveText(translate('bonus:refused.MONEY_LEFT'));
    await expect(notice.getByRole('button')).toHaveText([translate('bonus:toWithdraw'), translate('bonus:toGames')]);
    await expectAccessible(page, 'a bonus with money left');
    await closeOffer();
    // Money below the smallest withdrawal can only be played.
    let limits: Promise<void> = Promise.resolve();
    await page.route('**/api/lookup/withdraw', async (route) => {
      await limits;
      await route.fulfill({ json: { withdrawMin: 100.01, withdrawMax: 50_000 } });
    });
    await page.reload();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    limits = isReleased;
    unmet = [{ code: 'BONUS_REMAINING', detail: 'MONEY_LEFT' }];
    const replied = page.waitForResponse('**/api/bonus/requirements/*');
    await openOffer();
    await (await replied).finished();
    await expect(notice).toHaveCount(0);
    release();
    await expect(notice).toContainText(translate('bonus:belowMinimum', { amount: '฿100.01' }));
    await expect(notice.getByRole('button')).toHaveText([translate('bonus:toGames')]);
    await expectAccessible(page, 'a bonus with money below the smallest withdrawal');
    await closeOffer();
    // The claim asks the games.
    unmet = [{ code: 'BONUS_REMAINING', detail: 'GAMES_SILENT' }];
    await openOffer();
    await expect(notice.getByRole('button')).toHaveCount(0);
    await expect(receive).not.toHaveCSS('background-color', await quietColour());
    await closeOffer();
    for (const code of ['BONUS_MAX_CLAIMED', 'BONUS_FULL'] as const) {
      unmet = [{ code, detail: null }];
      await bonusCard(page, DAILY_BONUS_NAME).click();
      await expect(notice).toContainText(translate(`errors:errorMsg.${code}`));
      await expect(receive).toHaveCount(0);
      await buttonByName(offer, translate('common:ok')).click();
      await expect(offer).toHaveCount(0);
    }
  });

  test('leftover money can be withdrawn from the offer, and a refused claim shows each reason once', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await fundWallet(member, 100);
    await openBonusPage(page);
    await bonusCard(page, DAILY_BONUS_NAME).click();
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    await expect(offer.locator('section').getByText(translate('bonus:refused.MONEY_LEFT'))).toBeVisible();
    await expect(buttonByName(offer, translate('bonus:toDeposit'))).toHaveCount(0);
    await buttonByName(offer, translate('bonus:receive')).click();
    const refusal = offer.getByRole('alert');
    await expect(refusal.getByRole('listitem')).toHaveText([translate('bonus:refused.MONEY_LEFT')]);
    await expect(refusal).toContainText(translate('bonus:notReceived'));
    await expect(refusal).not.toContainText(translate('errors:errorMsg.BONUS_REMAINING'));
    await buttonByName(refusal, translate('bonus:toWithdraw')).click();
    await expect(dialogByName(page, translate('withdraw:title'))).toBeVisible();
    await expect(offer).toHaveCount(0);
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });

  test('a pending withdrawal is shown in the offer that waits for it', async ({ memberPage: page }) => {
    await page.route('**/api/bonus/requirements/*', (route) =>
      route.fulfill({ json: { unmet: [{ code: 'BONUS_CONDITION', detail: 'WITHDRAW_IN_PROGRESS' }] } }),
    );
    const reference = 'wd-00000001';
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const withdrawal = { reference, amount: 100, state: 'HELD', createdAt: new Date().toISOString() };
      await route.fulfill({ response, json: { ...((await response.json()) as object), withdrawal } });
    });
    await openBonusPage(page);
    await bonusCard(page, DAILY_BONUS_NAME).click();
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    const asked = page.waitForRequest(`**/api/money/${reference}`);
    await buttonByName(offer, translate('bonus:toWithdrawal')).click();
    await asked;
  });
});
