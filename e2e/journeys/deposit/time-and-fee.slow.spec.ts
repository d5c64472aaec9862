import type { Locator, Page } from '@playwright/test';
import { advising, card, payByQr, question, usedNow } from '../../support/deposit-advice.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

/** What is measured: with null, the stated time is shown. */
const CASES = [
  { language: 'th', seconds: { deposit: 40, withdraw: 100 }, size: { width: 390, height: 844 } },
  { language: 'la', seconds: { deposit: 61, withdraw: 59 }, size: { width: 320, height: 568 } },
  { language: 'en', seconds: { deposit: null, withdraw: null }, size: { width: 1280, height: 800 } },
] as const;
const STATED_MINUTES = { deposit: 1, withdraw: 15 } as const;

type Direction = keyof typeof STATED_MINUTES;
type Known = (typeof CASES)[number];

function promiseOf({ language, seconds }: Known, direction: Direction) {
  const translate = translatorFor(language);
  const measured = seconds[direction];
  const time =
    measured === null
      ? translate('money:usualTime.stated', { minutes: STATED_MINUTES[direction] })
      : measured < 60
        ? translate('money:usualTime.seconds', { seconds: measured })
        : translate('money:usualTime.minutes', { minutes: 2 });
  return { time, line: `${time} · ${translate('money:fee')} ฿0` };
}

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

/** The timeline and its receipt have the time and the fee, each with its label. */
async function expectInTimeline(page: Page, sheet: Locator, language: Language, time: string): Promise<void> {
  const translate = translatorFor(language);
  for (const [label, value] of [
    [translate('money:usualTime.label'), time],
    [translate('money:fee'), '฿0'],
  ] as const) {
    const row = sheet.locator('dl > div').filter({ has: page.getByRole('term').getByText(label, { exact: true }) });
    await expect(row.getByRole('definition')).toHaveText(value);
  }
  await page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn.splice(0));
  await buttonByName(sheet, translate('money:save')).click();
  const drawn = () => page.evaluate(() => (globalThis as unknown as { drawn: string[] }).drawn);
  await expect.poll(drawn).toContain(translate('money:noProof'));
  const words = await drawn();
  for (const [label, value] of [
    [translate('money:usualTime.label'), time],
    [translate('money:fee'), '฿0'],
  ] as const)
    expect(words[words.indexOf(label) + 1], label).toBe(value);
}

async function begin(page: Page, known: Known): Promise<void> {
  const { language, seconds, size } = known;
  await page.setViewportSize(size);
  await watchPictures(page);
  await page.route('**/api/money/*', async (route) => {
    const response = await route.fetch();
    const item = (await response.json()) as { kind: string };
    const direction = item.kind === 'withdraw' ? 'withdraw' : 'deposit';
    const usualTime = { medianSeconds: seconds[direction], statedMinutes: STATED_MINUTES[direction] };
    await route.fulfill({ response, json: { ...item, usualTime } });
  });
  await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
}

for (const known of CASES) {
  const { language, seconds } = known;
  const translate = translatorFor(language);
  const state = seconds.deposit === null ? 'stated' : 'measured';

  test(`choice, QR, sent message, timeline and receipt of a deposit state the ${state} time and the fee in ${language} [R-WALLET-05]`, async ({
    memberPage: page,
  }) => {
    const { time, line } = promiseOf(known, 'deposit');
    await begin(page, known);
    await advising(page, { 'qr KBANK': usedNow({ medianSeconds: seconds.deposit, samples: 5 }) });
    await openHome(page);
    await buttonByName(page, translate('home:deposit')).click();
    const sheet = dialogByName(page, translate('deposit:title'));
    await question(sheet, translate).fill('60');
    const pay = card(sheet, payByQr('฿60.00', translate));
    await expect(pay).toContainText(line);
    const created = page.waitForResponse('**/api/qrcode/KBANK');
    await pay.click();
    const { reference } = (await (await created).json()) as { reference: string };
    await expect(sheet.getByRole('timer')).toBeVisible();
    await expect(sheet.getByText(line)).toBeInViewport();
    await buttonByName(sheet, translate('deposit:done')).click();
    await expect(page.locator('[data-toast]').filter({ hasText: translate('deposit:doneToast') })).toContainText(line);
    await page.goto(`/user/home#money=${reference}`);
    await expectInTimeline(page, dialogByName(page, translate('statement:deposit', { from: 'KBANK' })), language, time);
  });

  test(`form, review, sent dialog, timeline and receipt of a withdrawal state the ${state} time and the fee in ${language} [R-WALLET-05]`, async ({
    memberPage: page,
    member,
  }) => {
    const { time, line } = promiseOf(known, 'withdraw');
    await begin(page, known);
    await fundWallet(member, 500);
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/withdraw/advice', async (route) => {
      await mayAnswer;
      const advice = { medianSeconds: seconds.withdraw, samples: 5, statedMinutes: STATED_MINUTES.withdraw };
      await route.fulfill({ json: advice });
    });
    // Hides the outcome from the app: the bank pays within a second, which replaces the sent dialog.
    await page.route('**/api/statement', (route) => route.abort());
    await openHome(page);
    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await sheet.getByLabel(translate('withdraw:amount')).fill('200');
    const account = sheet.getByRole('region', { name: translate('withdraw:goesTo') });
    const before = await account.boundingBox();
    answer();
    await expect(sheet.getByText(line)).toBeVisible();
    expect(await account.boundingBox(), 'nothing moves when the time is known').toEqual(before);
    await buttonByName(sheet, translate('withdraw:submit')).click();
    await expect(sheet.getByRole('region', { name: translate('withdraw:review.title') }).getByText(line)).toBeVisible();
    await buttonByName(sheet, translate('withdraw:review.confirm')).click();
    const sent = dialogByName(page, translate('withdraw:successTitle'));
    await expect(sent.getByText(line)).toBeVisible();
    await buttonByName(sent, translate('withdraw:details')).click();
    await expectInTimeline(page, dialogByName(page, translate('money:kind.withdraw')), language, time);
  });
}
