import type { Page } from '@playwright/test';
import { appUrl, type Member, newAddress } from '../../support/member.ts';
import { payerOf, walletOf } from '../../support/money.ts';
import { transferAtBank } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PATIENCE = { timeout: 45_000 };
/** An operator's account without a feed: only a slip reports a transfer to it. */
const OURS = { bankCode: 'GSB', accountNo: '020123456789' };
const REASONS = [
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

const sheet = (page: Page) => dialog(page, say('statement:slips.title'));
const rows = (page: Page) =>
  sheet(page)
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

async function openSlips(page: Page): Promise<void> {
  await page.goto('/user/statement');
  await button(page, say('statement:slips.open')).click();
  await expect(sheet(page)).toBeVisible();
}

async function upload(member: Member, picture: Blob): Promise<number> {
  const body = new FormData();
  body.append('file', picture, 'slip.png');
  const headers = {
    'x-requested-with': 'XMLHttpRequest',
    'x-forwarded-for': newAddress(),
    authorization: `Bearer ${member.token}`,
  };
  return (await fetch(`${appUrl()}/api/wallet/slip`, { method: 'POST', headers, body })).status;
}

const slip = (number: number, changes: object) => ({
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
  test('installed on an iPhone, where no window can be navigated, the picture opens in a dialog', async ({
    memberPage,
  }) => {
    await memberPage.addInitScript(() => {
      Object.defineProperty(navigator, 'standalone', { value: true });
      window.open = () => {
        throw new Error('a window was opened');
      };
    });
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ json: { total: 1, slips: [slip(1, { status: 'SUCCESS', amount: 1 })] } }),
    );
    await memberPage.route('**/api/statement/slip/reference/**', (route) =>
      route.fulfill({ json: { url: `${appUrl()}/icon.svg` } }),
    );
    await openSlips(memberPage);
    await rows(memberPage).first().getByRole('button').click();
    const dialog = memberPage.getByRole('dialog', { name: say('statement:slips.picture'), exact: true });
    const picture = dialog.getByRole('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await memberPage.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(memberPage.getByRole('dialog')).toHaveCount(1);
  });
});

test.describe('upload status', () => {
  test('a slip stands there with what the bank says was paid, and its picture opens in a window of its own [R-STMT-03]', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    expect(await upload(member, await transferAtBank(payerOf(member), OURS, '250.50'))).toBe(200);
    await openSlips(memberPage);
    await expect(rows(memberPage)).toHaveCount(1);
    // Automatically: nothing is pressed.
    await expect(rows(memberPage).locator('[data-status=SUCCESS]')).toBeVisible(PATIENCE);
    await expect(rows(memberPage)).toContainText('฿250.50');
    await expect(rows(memberPage)).toContainText(/\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/);
    expect((await walletOf(member)).wallet.amount).toBe(250.5);
    const opening = memberPage.waitForEvent('popup');
    await rows(memberPage).getByText(say('statement:slips.view')).click();
    const picture = await opening;
    await picture.waitForURL(/^https?:/);
    await expect(picture.locator('img')).toBeVisible();
    expect(await picture.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
    expect(await picture.evaluate(() => window.opener)).toBeNull();
  });

  test('where a tab can’t be written into, the picture is one press away', async ({ memberPage }) => {
    const reference = '**/api/statement/slip/reference/**';
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ json: { total: 1, slips: [slip(1, { status: 'SUCCESS', amount: 1 })] } }),
    );
    await memberPage.route(reference, (route) => route.fulfill({ json: { url: `${appUrl()}/icon.svg` } }));
    await openSlips(memberPage);
    await memberPage.evaluate(() => {
      // As in browsers inside other apps: window.open returns no usable tab.
      window.open = () =>
        ({
          close: () => undefined,
          get document(): Document {
            throw new DOMException('not ours', 'SecurityError');
          },
        }) as unknown as Window;
    });
    await rows(memberPage).first().getByRole('button').click();
    await expect(rows(memberPage).first().getByRole('link')).toHaveAttribute('href', `${appUrl()}/icon.svg`);
    await expect(memberPage.locator('[data-toast]')).toContainText(say('statement:slips.blocked'));
  });

  test('each reason stands there in words; ten a page; refreshed by hand, and by itself while one is checked [R-STMT-03]', async ({
    memberPage,
  }) => {
    const slips = [
      slip(40, { status: 'PROCESSING' }),
      slip(39, { status: 'SUCCESS', amount: 1_234.5, link: `${appUrl()}/icon.svg` }),
      ...REASONS.map((note, index) => slip(30 - index, { note })),
    ];
    let asked = 0;
    let isChecked = false;
    await memberPage.route('**/api/statement/slip', async (route) => {
      const { page, limit } = route.request().postDataJSON() as { page: number; limit: number };
      asked += 1;
      if (isChecked) slips[0] = slip(40, { status: 'SUCCESS', amount: 99 });
      return route.fulfill({ json: { total: slips.length, slips: slips.slice((page - 1) * limit, page * limit) } });
    });
    await openSlips(memberPage);
    await expect(rows(memberPage)).toHaveCount(10);
    await expect(rows(memberPage).first().getByRole('cell').nth(1)).toHaveText('-');
    await expect(rows(memberPage).first()).toContainText(say('parts:status.PROCESSING'));
    await expect(rows(memberPage).nth(1)).toContainText('฿1,234.50');
    await expect(rows(memberPage).nth(1).getByRole('link')).toHaveAttribute('href', `${appUrl()}/icon.svg`);
    await expect(rows(memberPage).nth(1).getByRole('link')).toHaveAttribute('target', '_blank');
    await expect(rows(memberPage).nth(1)).toContainText('31/01/2026 23:39:00');
    isChecked = true;
    await expect(rows(memberPage).first()).toContainText('฿99.00', PATIENCE);
    const before = asked;
    await button(sheet(memberPage), say('statement:slips.refresh')).click();
    await expect.poll(() => asked).toBeGreaterThan(before);

    const reasons: string[] = [];
    const read = async (from: number): Promise<void> => {
      for (const row of (await rows(memberPage).all()).slice(from))
        reasons.push(await row.getByRole('paragraph').innerText());
    };
    await read(2);
    await sheet(memberPage)
      .getByRole('button', { name: say('parts:pagination.next') })
      .click();
    await expect(rows(memberPage)).toHaveCount(3);
    await read(0);
    expect(reasons).toEqual(REASONS.map((reason) => say(`statement:slips.reason.${reason}`)));
    // Three codes mean one thing, an incorrect slip; every other has words of its own.
    const [incorrect, ...others] = new Set(reasons);
    expect(reasons.slice(0, 3)).toEqual([incorrect, incorrect, incorrect]);
    expect(others).toHaveLength(REASONS.length - 3);
  });

  test('a list that can’t be loaded hides the loader and says nothing [R-NET-08]', async ({ memberPage }) => {
    await memberPage.route('**/api/statement/slip', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    const answer = memberPage.waitForResponse('**/api/statement/slip');
    await openSlips(memberPage);
    await answer;
    await expect(sheet(memberPage).getByRole('status', { name: say('common:loading') })).toHaveCount(0);
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.unrouteAll();
    await button(sheet(memberPage), say('statement:slips.refresh')).click();
    await expect(sheet(memberPage)).toContainText(say('statement:slips.empty'));
  });
});
