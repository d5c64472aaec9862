import { depositSheet, openDepositMethod } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { newAccountNo, newMember } from '../../support/member.ts';
import { memberAsPayer, readWallet } from '../../support/money.ts';
import { transferToBank } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
const THAI_NAME = 'สมหญิง ทดสอบ';

test.describe('deposit by bank transfer', () => {
  test('a bank account shows bank, holder and number; copying confirms or reports failure [R-DEP-02]', async ({
    memberPage,
  }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    for (const text of ['KRAPAO COMPANY LIMITED', '468-000-1234', 'ธนาคารไทยพาณิชย์'])
      await expect(sheet.getByRole('definition').filter({ hasText: text })).toBeVisible();
    await buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(memberPage.locator('[data-toast=success]')).toHaveText('คัดลอกแล้ว: 4680001234');
    await expect.poll(() => memberPage.evaluate(() => navigator.clipboard.readText())).toBe('4680001234');
    await memberPage.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
      Object.assign(document, { execCommand: () => false });
    });
    await buttonByName(sheet, translate('deposit:copyNumber')).click();
    await expect(memberPage.locator('[data-toast=danger]')).toHaveText('คัดลอกไม่สำเร็จ');
  });

  test('a number without ten digits is shown ungrouped; only an account without a feed leads to sending a slip [R-DEP-02] [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารออมสิน');
    for (const text of ['ธนาคารออมสิน', 'KRAPAO COMPANY LIMITED'])
      await expect(sheet.getByRole('definition').filter({ hasText: text })).toBeVisible();
    await expect(sheet.getByText('020123456789', { exact: true })).toBeVisible();
    await expect(sheet).toContainText(translate('deposit:comesWithSlip'));
    await expect(buttonByName(sheet, translate('deposit:announcementGive'))).toHaveCount(0);
    await buttonByName(sheet, translate('deposit:slipNow')).click();
    await expect(sheet.getByRole('heading', { level: 3, name: translate('deposit:slip') })).toBeFocused();
    await expect(buttonByName(sheet, translate('deposit:slipChoose'))).toBeVisible();
  });

  test("a member of KTB with a Thai name at another bank's account, and a member of another bank, copy the number directly [R-DEP-03]", async ({
    page,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [bankCode, accountIndex, number] of [
      ['KTB', 'ธนาคารไทยพาณิชย์', '4680001234'],
      ['GSB', 'ธนาคารกสิกรไทย', '1238004567'],
    ] as const) {
      const bankAccountNo = bankCode === 'GSB' ? `0${newAccountNo()}2` : newAccountNo();
      await signIn(page, await newMember({ bankCode, bankAccountNo }));
      await page.route('**/api/wallet', async (route) => {
        const response = await route.fetch();
        const wallet = (await response.json()) as { bankAccount: { bankAccountName: string } };
        wallet.bankAccount.bankAccountName = THAI_NAME;
        await route.fulfill({ response, json: wallet });
      });
      await openHome(page);
      const sheet = await openDepositMethod(page, 'bank', accountIndex);
      await buttonByName(sheet, translate('deposit:copyNumber')).click();
      await expect(page.locator('[data-toast=success]')).toHaveText(`คัดลอกแล้ว: ${number}`);
      await expect(dialogByName(page, translate('deposit:editName'))).toHaveCount(0);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });
});

test.describe('notices of a bank transfer', () => {
  test('an announced bank transfer shows the exact amount to send, and the money is credited automatically', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    const amount = sheet.getByLabel(translate('deposit:announcementAmount'));
    await expect(buttonByName(sheet, translate('deposit:announcementGive'))).toBeDisabled();
    await amount.fill('0.99');
    await expect(buttonByName(sheet, translate('deposit:announcementGive'))).toBeDisabled();
    await amount.fill('321.5');
    const reply = memberPage.waitForResponse('**/api/wallet/add');
    await buttonByName(sheet, translate('deposit:announcementGive')).click();
    const { payAmount } = (await (await reply).json()) as { payAmount: number };
    const announcement = sheet.getByRole('status').filter({ hasText: translate('deposit:announcementByItself') });
    await expect(announcement).toContainText(`฿${payAmount.toFixed(2)}`);
    await expect(announcement.getByRole('timer')).toBeVisible();
    await expect(announcement).toContainText(`${translate('money:fee')} ฿0`);
    await transferToBank(memberAsPayer(member), SCB_ACCOUNT, payAmount);
    await expect(depositSheet(memberPage).getByText(translate('deposit:arrived'))).toBeVisible({ timeout: 60_000 });
    await expect(sheet.getByText(`+฿${payAmount.toFixed(2)}`)).toBeVisible();
  });

  test("money from another person's account is reported as such, and as held", async ({ memberPage, member }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await sheet.getByLabel(translate('deposit:announcementAmount')).fill('777.25');
    await buttonByName(sheet, translate('deposit:announcementGive')).click();
    const announcement = sheet.getByRole('status').filter({ hasText: translate('deposit:announcementUntil') });
    await expect(announcement).toContainText('฿777.25');
    const unknownPayer = {
      ...memberAsPayer(member),
      accountName: 'ผู้อื่น ทดสอบ',
      accountNo: newAccountNo(),
    };
    await transferToBank(unknownPayer, SCB_ACCOUNT, 777.25);
    await expect(announcement.getByRole('alert')).toHaveText(
      translate('deposit:announcementThirdParty', { amount: '฿777.25' }),
      {
        timeout: 60_000,
      },
    );
    expect((await readWallet(member)).wallet.amount).toBe(0);
  });

  test('if two announcements would be indistinguishable, the exact amount is shown large and explained', async ({
    memberPage,
  }) => {
    await openHome(memberPage);
    await memberPage.route('**/api/wallet/add', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), amount: 500, payAmount: 500.07 } });
    });
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารไทยพาณิชย์');
    await sheet.getByLabel(translate('deposit:announcementAmount')).fill('500');
    await buttonByName(sheet, translate('deposit:announcementGive')).click();
    const announcement = sheet.getByRole('status').filter({ hasText: translate('deposit:sendExactly') });
    await expect(announcement).toContainText('฿500.07');
    await expect(announcement).toContainText(translate('deposit:whyExactly', { amount: '฿500.00' }));
    await expect(announcement).toContainText(translate('deposit:announcementByItself'));
  });
});
