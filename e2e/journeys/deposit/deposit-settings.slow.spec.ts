import { depositSheet, openWay, unseal } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api, appUrl, newMember } from '../../support/member.ts';
import { makeGift } from '../../support/outside.ts';
import { asOperator } from '../../support/operator.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const THAI_NAME = 'สมหญิง ทดสอบ';
const KBANK_NUMBER = '1238004567';
const TRUELINK_SECRET = 'another secret ສຽງ';

/** Notes what is copied. Runs in the page. */
const noteCopies = (): void => {
  const copied: string[] = [];
  Object.assign(globalThis, { copied });
  navigator.clipboard.writeText = (text) => {
    copied.push(text);
    return Promise.resolve();
  };
};
const copies = (): string[] => (globalThis as unknown as { copied: string[] }).copied;

/** One system for the settings of deposits, as an operator who changes them starts it. */
test.describe('settings of deposits', () => {
  const system = ownSystem({ FP_MINIMUM: '25', TRUELINK_SECRET });

  test('TRUELINK_SECRET: the app encrypts a gift link with it, and the money is in', async ({ browser }) => {
    test.setTimeout(120_000);
    const context = await browser.newContext({ baseURL: appUrl() });
    const page = await context.newPage();
    await signIn(page, await newMember());
    await openHome(page);
    const sheet = await openWay(page, 'wallet', say('deposit:giftLink'));
    const { link } = await makeGift(45);
    await sheet.getByLabel(say('deposit:giftField')).fill(link);
    const sent = page.waitForRequest('**/api/wallet/truelink');
    await button(sheet, say('deposit:giftSend')).click();
    const body = (await sent).postDataJSON() as { link: string };
    expect(unseal(body.link, TRUELINK_SECRET)).toBe(link);
    await expect(depositSheet(page).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
    await context.close();
  });

  test('a member at KTB, TMB or BBL whose name is Thai writes it in English first; the number is copied a second after that [R-DEP-03]', async ({
    page,
  }) => {
    test.setTimeout(180_000);
    await page.clock.install();
    for (const bankCode of ['KTB', 'TMB', 'BBL']) {
      const member = await newMember({ bankCode });
      // As in books that are older than the rule, which registration and profile keep to.
      const rename = 'update member_bank_account set account_name = $1 where member_id = $2';
      await asOperator(system().dataFolder, rename, [THAI_NAME, member.id]);
      await signIn(page, member);
      await openHome(page);
      const sheet = await openWay(page, 'bank', 'ธนาคารกสิกรไทย');
      await page.evaluate(noteCopies);
      const copy = button(sheet, say('deposit:copyNumber'));
      await copy.click();
      const modal = dialog(page, say('deposit:editName'));
      const field = modal.getByLabel(say('deposit:englishName'));
      await expect(modal).toContainText(THAI_NAME);
      for (const wrong of ['', '   ', 'SOM4', 'สมหญิง', "O'NEIL"]) {
        await field.fill(wrong);
        await button(modal, say('common:save')).click();
        await expect(modal.getByRole('alert')).toHaveText(say('deposit:requiredEnglish'));
      }
      await field.fill('somying thotsop');
      await expect(field).toHaveValue('SOMYING THOTSOP');
      await expect(modal.getByRole('alert')).toHaveCount(0);
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
      await button(modal, say('common:save')).click();
      const popup = dialog(page, say('common:success'));
      // The page shows nothing while its clock is stopped.
      let passedMs = 0;
      await expect
        .poll(async () => {
          await page.clock.runFor(1);
          passedMs += 1;
          return popup.isVisible();
        })
        .toBe(true);
      await expect(popup).toContainText(say('deposit:nameSaved'));
      await page.clock.runFor(999 - passedMs);
      expect(await page.evaluate(copies)).toEqual([]);
      await page.clock.runFor(1 + passedMs);
      expect(await page.evaluate(copies)).toEqual([KBANK_NUMBER]);
      await page.clock.resume();
      await button(popup, say('common:ok')).click();
      const { body } = await api('GET', '/api/account/profile', { token: member.token });
      expect(body).toMatchObject({ bankAccount: { bankCode, bankAccountName: 'SOMYING THOTSOP' } });
      await copy.click();
      await expect.poll(() => page.evaluate(copies)).toEqual([KBANK_NUMBER, KBANK_NUMBER]);
      await expect(modal).toBeHidden();
    }
  });

  test('FP_MINIMUM: the least deposit at FP and its first quick amount are those of the setting [R-QR-03]', async ({
    memberPage,
  }) => {
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'qr', 'QR FP');
    const quickAmounts = sheet.getByRole('group', { name: say('common:quickAmounts') }).getByRole('button');
    const amount = sheet.getByLabel(say('deposit:amount'));
    const create = button(sheet, say('deposit:create'));
    await expect(quickAmounts).toHaveText(['25', '50', '100', '500', '1,000']);
    await amount.fill('24.99');
    await expect(create).toBeDisabled();
    await quickAmounts.first().click();
    await expect(amount).toHaveValue('25');
    await expect(create).toBeEnabled();
    await create.click();
    await expect(sheet.getByRole('img', { name: say('deposit:qrOf', { amount: '฿25.00' }) })).toBeVisible({
      timeout: 30_000,
    });
  });
});
