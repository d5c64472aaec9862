import type { Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { openHome } from '../../support/home.ts';
import { api, appUrl, type Member } from '../../support/member.ts';
import { fundWallet, memberAsPayer, readWallet } from '../../support/money.ts';
import { timelineItem } from '../../support/pending.ts';
import { payQr, transferAtBank, transferToBank } from '../../support/simulators.ts';
import { statementEntry } from '../../support/statement-entry.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const KEY = 'W7K2M9QABCDEFG';

/** Keeps what is written on pictures. */
const watchPictures = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const drawn: string[] = [];
    Object.assign(globalThis, { drawn });
    CanvasRenderingContext2D.prototype.fillText = new Proxy(
      // oxlint-disable-next-line typescript/unbound-method -- the proxy passes `this` on
      CanvasRenderingContext2D.prototype.fillText,
      {
        apply: (write, pen, [text, ...place]: [string, number, number]) => {
          drawn.push(text);
          Reflect.apply(write, pen, [text, ...place]);
        },
      },
    );
  });
const drawn = (page: Page): Promise<string[]> =>
  page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn);

/** A statement of one withdrawal, whose timeline the test answers. */
async function openOne(page: Page, answer: () => object, language: Language = 'th'): Promise<void> {
  const entry = statementEntry(4711, {
    statementType: 'withdraw',
    from: 'WALLET',
    to: 'SCB',
    amount: -100,
    reference: KEY,
  });
  await page.route('**/api/statement', (route) => route.fulfill({ json: { total: 1, statements: [entry] } }));
  await page.route('**/api/money/*', (route) => route.fulfill(answer()));
  await page.goto('/icon.svg');
  await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
  await page.goto('/user/statement');
}
const openRow = (page: Page) => page.getByRole('main').getByRole('listitem').first().getByRole('button').click();

for (const [size, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport });

    test('a row opens its timeline: times, a reference to copy, and a receipt without the full account number [R-WALLET-05]', async ({
      memberPage: page,
      member,
      context,
    }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await fundWallet(member, 300);
      const { body } = await api<{ reference: string }>('POST', '/api/wallet/withdraw', {
        token: member.token,
        body: { amount: 120 },
      });
      await watchPictures(page);
      await page.goto('/user/statement');
      const row = page.getByRole('main').getByRole('listitem').first();
      await expect(row).toContainText(translate('statement:withdraw', { to: 'SCB' }));
      await row.getByRole('button').focus();
      await page.keyboard.press('Enter');
      const sheet = dialogByName(page, translate('money:kind.withdraw'));
      const steps = sheet.getByRole('list', { name: translate('money:steps') }).getByRole('listitem');
      await expect(steps).toHaveText([
        new RegExp(`^${translate('money:step.requested')}\\d{2}/\\d{2}/\\d{4} \\d{2}:\\d{2}:\\d{2}$`),
        new RegExp(`^${translate('money:step.sent')}\\d{2}/`),
        new RegExp(`^${translate('money:step.paidOut')}\\d{2}/`),
      ]);
      await expect(sheet.getByText(translate('money:bankShows'))).toBeVisible();
      await expect(sheet).toContainText('−฿120.00');
      const masked = `xxx-x-x${member.bankAccountNo.slice(5, 9)}-x`;
      await expect(sheet).toContainText(masked);
      await expectAccessible(page, 'the timeline');
      await buttonByName(sheet, translate('money:copy')).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(body.reference);
      const saving = page.waitForEvent('download');
      await buttonByName(sheet, translate('money:save')).click();
      expect((await saving).suggestedFilename()).toBe(`receipt-${body.reference}.png`);
      const words = await drawn(page);
      for (const text of [translate('money:receipt'), '−฿120.00', body.reference, translate('money:noProof')])
        expect(words).toContain(text);
      const plain = words.map((text) => text.replaceAll(/\D/g, ''));
      expect(plain.filter((text) => text.includes(member.bankAccountNo))).toEqual([]);
      expect(words.join('\n')).toContain(masked);
      await page.keyboard.press('Escape');
      await expect(sheet).toBeHidden();
      await expect(row.getByRole('button')).toBeFocused();
    });

    test('support gets the reference of the timeline in the chat, after what was already typed there [R-WALLET-05]', async ({
      memberPage: page,
    }) => {
      await openOne(page, () => ({ json: timelineItem() }));
      await openRow(page);
      await buttonByName(dialogByName(page, translate('money:kind.withdraw')), translate('money:support')).click();
      await expect(page).toHaveURL(/\/user\/contact$/);
      const field = dialogByName(page, translate('chat:title')).getByLabel(translate('chat:message'), { exact: true });
      await expect(field).toHaveValue(translate('money:question', { reference: KEY }));
    });
  });
}

for (const gateway of ['WW', 'FP', 'PAYONEX'])
  test(`a deposit by the gateway ${gateway} comes from PromptPay QR, as the bank app names it [R-WALLET-05]`, async ({
    memberPage: page,
  }) => {
    const deposit = { kind: 'qr', status: 'SUCCESS', amount: 100, from: gateway, to: 'WALLET', account: null };
    await openOne(page, () => ({ json: timelineItem({ ...deposit, expectedBy: null }) }));
    await openRow(page);
    const sheet = dialogByName(page, translate('statement:depositPromptPay'));
    await expect(sheet.getByRole('definition').first()).toHaveText(translate('money:promptPay'));
    await expect(sheet).not.toContainText(gateway);
  });

test('a pending item shows an expected time and can be shared; a late one says so; without an estimate a notice is promised [R-WALLET-05]', async ({
  memberPage: page,
}) => {
  await watchPictures(page);
  let item = timelineItem();
  await openOne(page, () => ({ json: item }));
  await openRow(page);
  const sheet = dialogByName(page, translate('money:kind.withdraw'));
  const last = sheet
    .getByRole('list', { name: translate('money:steps') })
    .getByRole('listitem')
    .last();
  await expect(last).toContainText(/\d{2}:\d{2}$/);
  await buttonByName(sheet, translate('money:save')).click();
  await expect.poll(() => drawn(page)).toContainEqual(expect.stringMatching(/^สถานะเมื่อ \d{2}:\d{2}$/));
  expect(await drawn(page)).not.toContain(translate('money:receipt'));
  await expect(buttonByName(sheet, translate('money:shareStatus'))).toBeVisible();
  item = timelineItem({ isLate: true, expectedBy: new Date(Date.now() - 1_000).toISOString() });
  await page.reload();
  await openRow(page);
  await expect(sheet.getByText(translate('money:late'))).toBeVisible();
  item = timelineItem({ expectedBy: null });
  await page.reload();
  await openRow(page);
  await expect(last).toContainText(translate('money:notify'));
});

test('a timeline that fails to load can be retried, an unknown one is reported, and offline it shows its age [R-WALLET-05]', async ({
  memberPage: page,
  context,
}) => {
  let answer: object = { status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } };
  await openOne(page, () => answer);
  await openRow(page);
  await expect(page.getByText(translate('money:loadFailed'))).toBeVisible();
  answer = {
    json: timelineItem({
      status: 'FAILED',
      amount: 0,
      reason: 'NAME_MISMATCH',
      expectedBy: null,
      steps: [
        { name: 'requested', at: new Date().toISOString(), isDone: true },
        { name: 'refused', at: new Date().toISOString(), isDone: true },
        { name: 'returned', at: new Date().toISOString(), isDone: true },
      ],
    }),
  };
  await buttonByName(page.getByRole('dialog'), translate('common:retry')).click();
  const sheet = dialogByName(page, translate('money:kind.withdraw'));
  await expect(sheet.getByText(translate('money:back', { amount: '฿100.00' }))).toBeVisible();
  await expect(sheet.getByText(translate('parts:withdrawReason.NAME_MISMATCH'))).toBeVisible();
  await expect(sheet.getByText('฿100.00', { exact: true })).toBeVisible();
  await expect(sheet.locator('[data-step="refused"] .text-coral')).toBeVisible();
  // The step of the return is marked as done, not as failed.
  await expect(sheet.locator('[data-step="returned"] .text-jade')).toBeVisible();
  await context.setOffline(true);
  await expect(sheet.getByText(translate('money:asOf', { time: '' }).trim())).toBeVisible();
  await context.setOffline(false);
  answer = { status: 404, json: { message: 'NO_DATA' } };
  await page.reload();
  await openRow(page);
  await expect(page.getByText(translate('money:notFound'))).toBeVisible();
});

test('the timeline is available in every language and fits the smallest phone [R-WALLET-05]', async ({
  memberPage: page,
}) => {
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    const translateInto = translatorFor(language);
    await page.setViewportSize({ width: 320, height: 568 });
    await page.unrouteAll();
    await openOne(page, () => ({ json: timelineItem({ isLate: true }) }), language);
    await openRow(page);
    const sheet = dialogByName(page, translateInto('money:kind.withdraw'));
    await expect(sheet.getByText(translateInto('money:late'))).toBeVisible();
    await expectAccessible(page, `the timeline in ${language}`);
  }
});

test('the open timeline of a QR follows its payment, and its receipt is shared as a picture [R-WALLET-05]', async ({
  memberPage: page,
  member,
}) => {
  await page.addInitScript(() => {
    const shared: string[] = [];
    Object.assign(globalThis, { shared });
    Object.assign(navigator, {
      canShare: () => true,
      share: ({ files = [] }: { files?: File[] }) => {
        shared.push(...files.map(({ name, type, size }) => `${name} ${type} ${size > 1_000}`));
        return Promise.resolve();
      },
    });
  });
  const { body: qr } = await api<{ payload: string }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount: 70 },
  });
  const { body } = await api<{ items: { key: string }[] }>('GET', '/api/pending', { token: member.token });
  const key = body.items[0]?.key ?? '';
  await openHome(page);
  await page.goto(`/user/home#money=${key}`);
  const sheet = dialogByName(page, translate('statement:deposit', { from: 'KBANK' }));
  const steps = sheet.getByRole('list', { name: translate('money:steps') }).getByRole('listitem');
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(1)).toContainText(translate('money:payBy', { time: '' }).trim());
  await payQr(qr.payload, memberAsPayer(member));
  for (const index of [0, 1, 2]) await expect(steps.nth(index)).toContainText(/\d{2}\/\d{2}\/\d{4}/);
  await buttonByName(sheet, translate('money:share')).click();
  await expect
    .poll(() => page.evaluate(() => (globalThis as unknown as { shared: string[] }).shared))
    .toEqual([`receipt-${key}.png image/png true`]);
});

/** An account of the operator with a feed, and one whose transfers only a slip reports. */
const WATCHED_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
const SLIP_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };

const depositBy = {
  deposit: async (member: Member, amount: string) => {
    await transferToBank(memberAsPayer(member), WATCHED_ACCOUNT, Number(amount));
  },
  slip: async (member: Member, amount: string) => {
    const form = new FormData();
    form.append('file', await transferAtBank(memberAsPayer(member), SLIP_ACCOUNT, amount), 'slip.png');
    const headers = { 'x-requested-with': 'XMLHttpRequest', authorization: `Bearer ${member.token}` };
    const reply = await fetch(`${appUrl()}/api/wallet/slip`, { method: 'POST', body: form, headers });
    expect(reply.status).toBe(200);
  },
};

for (const kind of ['deposit', 'slip'] as const)
  test(`the receipt of a ${kind === 'slip' ? 'slip' : 'bank transfer'} has the masked account and no other data of the member [R-WALLET-05]`, async ({
    memberPage: page,
    member,
  }) => {
    await depositBy[kind](member, '87.50');
    await expect.poll(async () => (await readWallet(member)).wallet.amount, { timeout: 45_000 }).toBe(87.5);
    await watchPictures(page);
    await page.goto('/user/statement');
    await openRow(page);
    const title = translate('statement:depositBank', { bank: { deposit: 'SCB', slip: 'GSB' }[kind] });
    expect(title).toMatch(/^ฝากเงิน/);
    await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(title);
    const sheet = dialogByName(page, title);
    const saving = page.waitForEvent('download');
    await buttonByName(sheet, translate('money:save')).click();
    expect((await saving).suggestedFilename()).toMatch(/^receipt-.+\.png$/);
    const words = await drawn(page);
    for (const text of [translate('money:receipt'), title, '+฿87.50', translate('money:noProof')])
      expect(words).toContain(text);
    const written = words.join('\n');
    expect(written).toContain(`xxx-x-x${member.bankAccountNo.slice(5, 9)}-`);
    const digits = words.map((text) => text.replaceAll(/\D/g, '')).join('\n');
    for (const number of [member.bankAccountNo, member.phone.replace(/\D/g, '')]) expect(digits).not.toContain(number);
    for (const name of [...member.name.split(' '), 'SOMYING', 'THOTSOP', member.id])
      expect(written).not.toContain(name);
  });

test.describe('inside another app, which neither downloads nor shares', () => {
  test.use({ userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Line/14.0.0' });

  test('inside an app without downloads and sharing, the receipt is shown as a picture to press and save [R-WALLET-05]', async ({
    memberPage: page,
  }) => {
    await openOne(page, () => ({ json: timelineItem({ status: 'SUCCESS', expectedBy: null }) }));
    await openRow(page);
    const sheet = dialogByName(page, translate('money:kind.withdraw'));
    await buttonByName(sheet, translate('money:save')).click();
    const picture = sheet.getByRole('img', { name: translate('money:receipt') });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1_080);
    await expect(sheet.getByText(translate('money:hold'))).toBeVisible();
  });
});
