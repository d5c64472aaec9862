import { depositSheet, openDepositMethod, decryptGiftLink } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api, appUrl, newMember } from '../../support/member.ts';
import { runOperatorSql } from '../../support/operator.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { makeGift } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const THAI_NAME = 'สมหญิง ทดสอบ';
const KBANK_NUMBER = '1238004567';
const OTHER_TRUELINK_SECRET = 'another secret ສຽງ';

/** Records copied texts. Runs in the page. */
const recordCopies = (): void => {
  const copiedTexts: string[] = [];
  Object.assign(globalThis, { copied: copiedTexts });
  navigator.clipboard.writeText = (text) => {
    copiedTexts.push(text);
    return Promise.resolve();
  };
};
const readCopies = (): string[] => (globalThis as unknown as { copied: string[] }).copied;

/** One separate system, started with an operator's deposit settings. */
test.describe('settings of deposits', () => {
  const system = useSeparateSystem({ FP_MINIMUM: '25', TRUELINK_SECRET: OTHER_TRUELINK_SECRET });

  test('with TRUELINK_SECRET set, the app encrypts a gift link with it, and the money is credited', async ({
    browser,
  }) => {
    test.setTimeout(120_000);
    const context = await browser.newContext({ baseURL: appUrl() });
    const page = await context.newPage();
    await signIn(page, await newMember());
    await openHome(page);
    const sheet = await openDepositMethod(page, 'wallet', translate('deposit:giftLink'));
    const { link } = await makeGift(45);
    await sheet.getByLabel(translate('deposit:giftField')).fill(link);
    const giftRequest = page.waitForRequest('**/api/wallet/truelink');
    await buttonByName(sheet, translate('deposit:giftSend')).click();
    const body = (await giftRequest).postDataJSON() as { link: string };
    expect(decryptGiftLink(body.link, OTHER_TRUELINK_SECRET)).toBe(link);
    await expect(depositSheet(page).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
    await context.close();
  });

  test('a member of KTB, TMB or BBL with a Thai name enters it in English first; the number is copied a second later [R-DEP-03]', async ({
    page,
  }) => {
    test.setTimeout(180_000);
    await page.clock.install();
    for (const bankCode of ['KTB', 'TMB', 'BBL']) {
      const member = await newMember({ bankCode });
      // Simulates a name stored before the current rule, which registration and profile enforce.
      const RENAME_SQL = 'update member_bank_account set account_name = $1 where member_id = $2';
      await runOperatorSql(system().dataFolder, RENAME_SQL, [THAI_NAME, member.id]);
      await signIn(page, member);
      await openHome(page);
      const sheet = await openDepositMethod(page, 'bank', 'ธนาคารกสิกรไทย');
      await page.evaluate(recordCopies);
      const copyButton = buttonByName(sheet, translate('deposit:copyNumber'));
      await copyButton.click();
      const modal = dialogByName(page, translate('deposit:editName'));
      const field = modal.getByLabel(translate('deposit:englishName'));
      await expect(modal).toContainText(THAI_NAME);
      for (const foreignName of ['', '   ', 'SOM4', 'สมหญิง', "O'NEIL"]) {
        await field.fill(foreignName);
        await buttonByName(modal, translate('common:save')).click();
        await expect(modal.getByRole('alert')).toHaveText(translate('deposit:requiredEnglish'));
      }
      await field.fill('somying thotsop');
      await expect(field).toHaveValue('SOMYING THOTSOP');
      await expect(modal.getByRole('alert')).toHaveCount(0);
      await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
      await buttonByName(modal, translate('common:save')).click();
      const successDialog = dialogByName(page, translate('common:success'));
      // The page shows nothing while its clock is stopped.
      let passedMs = 0;
      await expect
        .poll(async () => {
          await page.clock.runFor(1);
          passedMs += 1;
          return successDialog.isVisible();
        })
        .toBe(true);
      await expect(successDialog).toContainText(translate('deposit:nameSaved'));
      await page.clock.runFor(999 - passedMs);
      expect(await page.evaluate(readCopies)).toEqual([]);
      await page.clock.runFor(1 + passedMs);
      expect(await page.evaluate(readCopies)).toEqual([KBANK_NUMBER]);
      await page.clock.resume();
      await buttonByName(successDialog, translate('common:ok')).click();
      const { body } = await api('GET', '/api/account/profile', { token: member.token });
      expect(body).toMatchObject({ bankAccount: { bankCode, bankAccountName: 'SOMYING THOTSOP' } });
      await copyButton.click();
      await expect.poll(() => page.evaluate(readCopies)).toEqual([KBANK_NUMBER, KBANK_NUMBER]);
      await expect(modal).toBeHidden();
    }
  });

  test('FP_MINIMUM sets the minimum deposit at FP and its first quick amount [R-QR-03]', async ({ memberPage }) => {
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'qr', 'QR พร้อมเพย์ 2');
    const quickAmounts = sheet.getByRole('group', { name: translate('common:quickAmounts') }).getByRole('button');
    const amount = sheet.getByLabel(translate('deposit:amount'));
    const createButton = buttonByName(sheet, translate('deposit:create'));
    await expect(quickAmounts).toHaveText(['25', '50', '100', '500', '1,000']);
    await amount.fill('24.99');
    await expect(createButton).toBeDisabled();
    await quickAmounts.first().click();
    await expect(amount).toHaveValue('25');
    await expect(createButton).toBeEnabled();
    await createButton.click();
    await expect(sheet.getByRole('img', { name: translate('deposit:qrOf', { amount: '฿25.00' }) })).toBeVisible({
      timeout: 30_000,
    });
  });
});
