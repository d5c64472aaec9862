import type { Page } from '@playwright/test';
import { appUrl, type Member, newAddress } from '../../support/member.ts';
import { memberAsPayer, readWallet } from '../../support/money.ts';
import { transferAtBank } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const SLIP_TIMEOUT = { timeout: 45_000 };
/** An operator account without a feed: only a slip reports a transfer to this account. */
const OWN_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };
const REFUSAL_REASONS = [
  'UPLOADED_FILE_NOT_EXIST',
  'IMG_SIZE_UNABLE_TO_PROCESS',
  'CANNOT_READ_CROPPED_IMAGE',
  'DEST_ACC_INVALID',
  'SLIP_REFNO_DUPLICATED',
  'UNSTABLE_REFNO_ON_SLIP',
  'TRIPPLE_WRONG_CAPTCHA',
  'INVALID_SLIP',
  'NOT_MATCH',
  'EXPIRED_SLIP',
  'UNKNOW_ERROR',
];

const slipsDialog = (page: Page) => dialogByName(page, translate('statement:slips.title'));
const slipRows = (page: Page) =>
  slipsDialog(page)
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

async function openSlips(page: Page): Promise<void> {
  await page.goto('/user/statement');
  await buttonByName(page, translate('statement:slips.open')).click();
  await expect(slipsDialog(page)).toBeVisible();
}

async function uploadSlip(member: Member, slipImage: Blob): Promise<number> {
  const body = new FormData();
  body.append('file', slipImage, 'slip.png');
  const headers = {
    'x-requested-with': 'XMLHttpRequest',
    'x-forwarded-for': newAddress(),
    authorization: `Bearer ${member.token}`,
  };
  return (await fetch(`${appUrl()}/api/wallet/slip`, { method: 'POST', headers, body })).status;
}

const slipEntry = (number: number, changes: object) => ({
  _id: String(number),
  createdAt: new Date(Date.UTC(2026, 0, 31, 16, number)).toISOString(),
  amount: null,
  status: 'FAILED',
  note: null,
  underReview: false,
  link: null,
  reference: `S${number}`,
  ...changes,
});

test.describe('upload status in an installed app', () => {
  test('in an installed iPhone app the picture of a slip opens in a dialog, because windows cannot be opened', async ({
    memberPage,
  }) => {
    await memberPage.addInitScript(() => {
      Object.defineProperty(navigator, 'standalone', { value: true });
      window.open = () => {
        throw new Error('a window was opened');
      };
    });
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ json: { total: 1, slips: [slipEntry(1, { status: 'SUCCESS', amount: 1 })] } }),
    );
    await memberPage.route('**/api/statement/slip/reference/**', (route) =>
      route.fulfill({ json: { url: `${appUrl()}/icon.svg` } }),
    );
    await openSlips(memberPage);
    await slipRows(memberPage).first().getByRole('button').click();
    const dialog = memberPage.getByRole('dialog', { name: translate('statement:slips.picture'), exact: true });
    const slipImage = dialog.getByRole('img');
    await expect.poll(() => slipImage.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await memberPage.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(memberPage.getByRole('dialog')).toHaveCount(1);
  });
});

test.describe('upload status', () => {
  test('a slip is listed with the amount that the bank confirmed, and its picture opens in a new window [R-STMT-03]', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    expect(await uploadSlip(member, await transferAtBank(memberAsPayer(member), OWN_ACCOUNT, '250.50'))).toBe(200);
    await openSlips(memberPage);
    await expect(slipRows(memberPage)).toHaveCount(1);
    // Automatically: nothing is pressed.
    await expect(slipRows(memberPage).locator('[data-status=SUCCESS]')).toBeVisible(SLIP_TIMEOUT);
    await expect(slipRows(memberPage)).toContainText('฿250.50');
    await expect(slipRows(memberPage)).toContainText(/\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/);
    expect((await readWallet(member)).wallet.amount).toBe(250.5);
    const popupOpened = memberPage.waitForEvent('popup');
    await slipRows(memberPage).getByText(translate('statement:slips.view')).click();
    const popupPage = await popupOpened;
    await popupPage.waitForURL(/^https?:/);
    await expect(popupPage.locator('img')).toBeVisible();
    expect(await popupPage.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(
      100,
    );
    expect(await popupPage.evaluate(() => window.opener)).toBeNull();
  });

  test('where a new tab cannot be filled by script, a link opens the picture of a slip', async ({ memberPage }) => {
    const reference = '**/api/statement/slip/reference/**';
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ json: { total: 1, slips: [slipEntry(1, { status: 'SUCCESS', amount: 1 })] } }),
    );
    await memberPage.route(reference, (route) => route.fulfill({ json: { url: `${appUrl()}/icon.svg` } }));
    await openSlips(memberPage);
    await memberPage.evaluate(() => {
      // Simulates browsers inside other apps, where window.open returns no usable tab.
      window.open = () =>
        ({
          close: () => undefined,
          get document(): Document {
            throw new DOMException('not ours', 'SecurityError');
          },
        }) as unknown as Window;
    });
    await slipRows(memberPage).first().getByRole('button').click();
    await expect(slipRows(memberPage).first().getByRole('link')).toHaveAttribute('href', `${appUrl()}/icon.svg`);
    await expect(memberPage.locator('[data-toast]')).toContainText(translate('statement:slips.blocked'));
  });

  test('failed slips are listed with reasons, ten per page, refreshed by a button, and automatically during a check [R-STMT-03]', async ({
    memberPage,
  }) => {
    const listedSlips = [
      slipEntry(40, { status: 'PROCESSING' }),
      slipEntry(39, { status: 'SUCCESS', amount: 1_234.5, link: `${appUrl()}/icon.svg` }),
      ...REFUSAL_REASONS.map((slipNote, index) => slipEntry(30 - index, { note: slipNote })),
    ];
    let requestCount = 0;
    let isChecked = false;
    await memberPage.route('**/api/statement/slip', async (route) => {
      const { page, limit } = route.request().postDataJSON() as { page: number; limit: number };
      requestCount += 1;
      if (isChecked) listedSlips[0] = slipEntry(40, { status: 'SUCCESS', amount: 99 });
      return route.fulfill({
        json: { total: listedSlips.length, slips: listedSlips.slice((page - 1) * limit, page * limit) },
      });
    });
    await openSlips(memberPage);
    await expect(slipRows(memberPage)).toHaveCount(10);
    await expect(slipRows(memberPage).first().getByRole('cell').nth(1)).toHaveText('-');
    await expect(slipRows(memberPage).first()).toContainText(translate('parts:status.PROCESSING'));
    await expect(slipRows(memberPage).nth(1)).toContainText('฿1,234.50');
    await expect(slipRows(memberPage).nth(1).getByRole('link')).toHaveAttribute('href', `${appUrl()}/icon.svg`);
    await expect(slipRows(memberPage).nth(1).getByRole('link')).toHaveAttribute('target', '_blank');
    await expect(slipRows(memberPage).nth(1)).toContainText('31/01/2026 23:39:00');
    isChecked = true;
    await expect(slipRows(memberPage).first()).toContainText('฿99.00', SLIP_TIMEOUT);
    const before = requestCount;
    await buttonByName(slipsDialog(memberPage), translate('statement:slips.refresh')).click();
    await expect.poll(() => requestCount).toBeGreaterThan(before);

    const shownReasons: string[] = [];
    const readReasons = async (from: number): Promise<void> => {
      for (const row of (await slipRows(memberPage).all()).slice(from))
        shownReasons.push(await row.getByRole('paragraph').innerText());
    };
    await readReasons(2);
    await slipsDialog(memberPage)
      .getByRole('button', { name: translate('parts:pagination.next') })
      .click();
    await expect(slipRows(memberPage)).toHaveCount(3);
    await readReasons(0);
    expect(shownReasons).toEqual(REFUSAL_REASONS.map((reason) => translate(`statement:slips.reason.${reason}`)));
    // Three codes share one text, "incorrect slip"; every other code has its own text.
    const [incorrectReason, ...otherReasons] = new Set(shownReasons);
    expect(shownReasons.slice(0, 3)).toEqual([incorrectReason, incorrectReason, incorrectReason]);
    expect(otherReasons).toHaveLength(REFUSAL_REASONS.length - 3);
  });

  test('slips that fail to load hide the loading indicator and show no error [R-NET-08]', async ({ memberPage }) => {
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    const slipsReply = memberPage.waitForResponse('**/api/statement/slip');
    await openSlips(memberPage);
    await slipsReply;
    await expect(slipsDialog(memberPage).getByRole('status', { name: translate('common:loading') })).toHaveCount(0);
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.unrouteAll();
    await buttonByName(slipsDialog(memberPage), translate('statement:slips.refresh')).click();
    await expect(slipsDialog(memberPage)).toContainText(translate('statement:slips.empty'));
  });
});
