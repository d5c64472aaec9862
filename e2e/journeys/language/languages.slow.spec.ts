import { readFile } from 'node:fs/promises';
import { slipReasons } from '@krapao/contract/endpoints/deposit/slip';
import { spinErrors } from '@krapao/contract/endpoints/spinwheel';
import { withdrawReasons } from '@krapao/contract/endpoints/withdraw';
import { errorCodes } from '@krapao/contract/errors';
import { htmlLang } from '@krapao/contract/languages';
import type { Page, ViewportSize } from '@playwright/test';
import {
  DESKTOP_VIEWPORT,
  expectAccessible,
  expectAccessibleIgnoringColours,
  expectAccessibleInForcedColours,
  expectNoHorizontalOverflow,
  PHONE_VIEWPORT,
} from '../../support/accessible.ts';
import { chatInput, openChat } from '../../support/chat.ts';
import { expectOnlyLanguage, findForeignWords } from '../../support/foreign-text.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test as base } from '../../support/test.ts';
import { type Language, type Translate, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, depositMethodButtons } from '../../support/user-actions.ts';
import { type PageCheck, visitMemberPages, visitPublicPages, visitRegisterSteps } from '../../support/visit-pages.ts';
import { openWheel, spinButton } from '../../support/wheel.ts';

const ICON_URL = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

/**
 * Tour of each language: the window in which its texts are read, another one that is checked for automatically detectable
 * faults, and an extra check: forced colours; for Lao whether everything fits into 320 pixels (1280 at 400 % zoom).
 */
const LANGUAGE_TOURS: Readonly<
  Record<Language, { viewport: ViewportSize; otherViewport: ViewportSize; extraCheck: PageCheck }>
> = {
  th: { viewport: PHONE_VIEWPORT, otherViewport: DESKTOP_VIEWPORT, extraCheck: expectAccessibleInForcedColours },
  la: {
    viewport: { width: 320, height: 640 },
    otherViewport: DESKTOP_VIEWPORT,
    extraCheck: expectNoHorizontalOverflow,
  },
  en: { viewport: DESKTOP_VIEWPORT, otherViewport: PHONE_VIEWPORT, extraCheck: expectAccessibleInForcedColours },
};

type LanguageOptions = { language: Language };
type LanguageFixtures = {
  translate: Translate;
  /** Expects no text of another language and no phrase key on the page. */
  look: PageCheck;
  /** The extra check of its tour finds no fault. */
  lookClosely: PageCheck;
};

const test = base.extend<LanguageOptions & LanguageFixtures>({
  language: ['th', { option: true }],
  translate: async ({ language }, use) => use(translatorFor(language)),
  look: async ({ page, language, member }, use) => {
    await page.addInitScript((locale) => localStorage.setItem('locale', locale), language);
    // The app logs a missing translation like any other error.
    const foundFailures: string[] = [];
    page.on('pageerror', ({ message }) => foundFailures.push(message));
    await use(async (checkedPage, name) => {
      await expect(checkedPage.locator('[aria-busy=true]')).toHaveCount(0);
      await expect.soft(checkedPage.locator('html'), name).toHaveAttribute('lang', htmlLang[language]);
      await expectOnlyLanguage(checkedPage, language, [member.name], name);
    });
    expect(foundFailures).toEqual([]);
  },
  lookClosely: async ({ look, language }, use) => {
    const { viewport, otherViewport, extraCheck } = LANGUAGE_TOURS[language];
    await use(async (page, name) => {
      // Each check starts in the window size of the previous check, because a change takes a sixth of a check's time.
      const isOther = page.viewportSize()?.width === otherViewport.width;
      for (const size of isOther ? [otherViewport, viewport] : [viewport, otherViewport]) {
        if (size.width !== page.viewportSize()?.width) await page.setViewportSize(size);
        await (language === 'th' ? expectAccessible : expectAccessibleIgnoringColours)(page, name);
        if (size === otherViewport) continue;
        await look(page, name);
        await extraCheck(page, name);
      }
    });
  },
});

/** Codes that end the session, so that no form displays them. */
const SESSION_ENDING_CODES: readonly string[] = ['gone'];

/** The login form receives each code and displays its text. */
async function visitRefusals(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  let code = '';
  await page.route('**/api/login', (route) => route.fulfill(json({ message: code }, 400)));
  await page.goto('/login');
  await page.getByLabel(translate('login:phone')).fill('0812345678');
  await page.getByLabel(translate('login:password'), { exact: true }).fill('Basket-of-gold-9');
  for (code of errorCodes.filter((errorCode) => !SESSION_ENDING_CODES.includes(errorCode))) {
    await buttonByName(page, translate('login:submit')).click();
    await expect(page.getByRole('alert'), code).toHaveText(translate(`errors:errorMsg.${code}`));
  }
  await checkPage(page, 'a refusal');
  await page.route('**/api/login', (route) => route.abort());
  await buttonByName(page, translate('login:submit')).click();
  await expect(page.getByRole('alert')).toHaveText(translate('common:noAnswer'));
  await page.context().setOffline(true);
  await expect(page.getByText(translate('common:offline.now'))).toBeVisible();
  await checkPage(page, 'without a line');
  await page.context().setOffline(false);
}

/**
 * More entries than one member has: each kind and state of a movement, and each failure reason of slips and payouts.
 */
async function visitEveryStatementRow(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  const baseEntry = (index: number) => ({
    _id: `id-${index}`,
    reference: `R${index}`,
    createdAt: new Date().toISOString(),
  });
  const rewardEntry = (rewardKind: string) => ({
    from: rewardKind.toUpperCase(),
    to: 'WALLET',
    [rewardKind]: { description: '5' },
  });
  const rewardKinds = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'];
  const entries = [
    ...['bank:SCB', 'BANK', 'WALLET_APP', 'FP'].map((from) => ({ statementType: 'deposit', from, to: 'WALLET' })),
    ...rewardKinds.map((rewardKind) => ({ statementType: 'bonus', ...rewardEntry(rewardKind) })),
    ...rewardKinds.flatMap((rewardKind) =>
      ['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'].map((endStatus) => ({
        statementType: 'finish_bonus',
        ...rewardEntry(rewardKind),
        end: endStatus,
        amount: endStatus === 'CANCELLED' ? -5 : 0,
      })),
    ),
    { statementType: 'withdraw', from: 'WALLET', to: 'SCB', status: 'PROCESSING' },
    { statementType: 'transfer', from: 'WALLET', to: 'pg' },
    ...[...withdrawReasons, 'SOMETHING_NEW', null].map((reason) => ({
      statementType: 'withdraw',
      from: 'WALLET',
      to: 'SCB',
      status: 'FAILED',
      reason,
    })),
  ].map((entry, index) => ({
    status: 'SUCCESS',
    amount: 5,
    requested: 5,
    balance: 5,
    reason: null,
    ...baseEntry(index),
    ...entry,
  }));
  const slipEntries = ['SUCCESS', 'PROCESSING', ...slipReasons].map((slipNote, index) => {
    const isReason = index > 1;
    return {
      ...baseEntry(index),
      amount: 5,
      status: isReason ? 'FAILED' : slipNote,
      note: isReason ? slipNote : null,
      underReview: false,
      link: null,
    };
  });
  await page.route('**/api/statement', (route) => route.fulfill(json({ total: entries.length, statements: entries })));
  await page.route('**/api/statement/slip', (route) =>
    route.fulfill(json({ total: slipEntries.length, slips: slipEntries })),
  );
  await page.goto('/user/statement');
  await expect(page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem')).toHaveCount(
    entries.length,
  );
  // Several reasons may share a text: the first is checked.
  for (const reason of withdrawReasons) {
    const failureText = translate('statement:withdrawFailed', { reason: translate(`parts:withdrawReason.${reason}`) });
    await expect(page.getByText(failureText).first()).toBeVisible();
  }
  await checkPage(page, 'every movement');
  await buttonByName(page, translate('statement:slips.open')).click();
  const sheet = dialogByName(page, translate('statement:slips.title'));
  for (const reason of slipReasons)
    await expect(sheet.getByText(translate(`statement:slips.reason.${reason}`)).first()).toBeVisible();
  await checkPage(page, 'every slip');
}

/** Each kind of the operator's deposit methods. */
async function visitDepositMethods(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  await openHome(page);
  await buttonByName(page, translate('home:deposit')).click();
  const sheet = dialogByName(page, translate('deposit:title'));
  for (const methodKind of ['bank', 'wallet', 'slip'] as const) {
    await depositMethodButtons(sheet, translate, methodKind).first().click();
    // In a wide window the list is beside the method.
    const backButton = buttonByName(sheet, translate('deposit:otherWays'));
    await expect(backButton.or(depositMethodButtons(sheet, translate, methodKind).first()).first()).toBeVisible();
    await checkPage(page, `deposit by ${methodKind}`);
    if (await backButton.isVisible()) await backButton.click();
  }
}

/** Refused spins: some codes have their own text, the others the text of every failure. */
async function visitRefusedSpins(
  page: Page,
  translate: Translate,
  checkPage: PageCheck,
  checkClosely: PageCheck,
): Promise<void> {
  let error = '';
  await page.route('**/api/spinwheel/spin', (route) => route.fulfill(json({ success: false, error, result: null })));
  await openWheel(page);
  for (error of [...spinErrors, 'NO_WALLET']) {
    await spinButton(page, translate).click();
    const key = error === 'NO_WALLET' ? `errors:errorMsg.${error}` : `spinwheel:error.${error}`;
    await expect(page.getByRole('dialog')).toContainText(translate(key));
    // One dialog shows all these codes.
    await (error === spinErrors[0] ? checkClosely : checkPage)(page, `a spin refused: ${error}`);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
}

/** The chat: empty, with an open attachment, an invalid attachment, and a failed message. */
async function visitChat(page: Page, translate: Translate, checkPage: PageCheck): Promise<void> {
  const chat = await openChat(page, translate);
  await checkPage(page, 'chat');
  const chooseMenu = async (name: string, buffer: Buffer): Promise<void> => {
    const fileChooser = page.waitForEvent('filechooser');
    await buttonByName(chat, translate('chat:attach.button')).click();
    await (await fileChooser).setFiles({ name, mimeType: 'image/png', buffer });
  };
  await chooseMenu('1.png', await readFile(ICON_URL));
  await expect(dialogByName(page, translate('chat:attach.title'))).toBeVisible();
  await checkPage(page, 'attachment of the chat');
  await page.keyboard.press('Escape');
  await chooseMenu('1.pdf', Buffer.from('%PDF-1.7'));
  await expect(chat.getByRole('alert')).toHaveText(translate('chat:attach.notSupported'));
  await checkPage(page, 'attachment that is refused');
  await page.route('**/api/chat/send-message', (route) => route.fulfill(json({ message: 'REQUEST_LIMIT_1MIN' }, 429)));
  await chatInput(chat, translate).fill('123');
  await buttonByName(chat, translate('chat:send')).click();
  await expect(buttonByName(chat, translate('chat:resend'))).toBeVisible();
  await checkPage(page, 'message that failed');
}

/** Without replies, each page reports the failure or shows its cached data. */
async function visitWithoutServer(page: Page, checkPage: PageCheck): Promise<void> {
  await page.route('**/api/**', (route) => route.fulfill(json({ message: 'INTERNAL_SERVER_ERROR' }, 500)));
  for (const path of ['home', 'profile', 'bonus', 'spin', 'statement', 'contact']) {
    await page.goto(`/user/${path}`);
    await expect(page.locator('main > *').first()).toBeVisible();
    await expect(page.locator('main [role=status][aria-label]')).toHaveCount(0);
    await checkPage(page, `${path} without the server`);
  }
}

base('a sentence without words, and one that is left in English, are noticed', async ({ memberPage: page }) => {
  const foundFailures: string[] = [];
  page.on('pageerror', ({ message }) => foundFailures.push(message));
  await page.route(/assets\/words-th-[\w-]{8}\.js$/, async (route) => {
    const serverReply = await route.fetch();
    const changedText = (await serverReply.text())
      .replace('changePassword:', 'lost:')
      .replace(/holder:`[^`]*`/g, 'holder:`the holder`');
    await route.fulfill({ response: serverReply, body: changedText });
  });
  await page.goto('/user/profile');
  await expect(page.getByText('SOMYING THOTSOP')).toBeVisible();
  expect(foundFailures[0]).toBe('no words for th profile:changePassword');
  expect(await findForeignWords(page, 'th', ['สมหญิง ทดสอบ'])).toEqual(
    expect.arrayContaining(['changePassword', 'the holder']),
  );
});

base.describe('when words do not come', () => {
  base('a refusal is not told by its code [R-I18N-02]', async ({ page }) => {
    const foundFailures: string[] = [];
    page.on('pageerror', ({ message }) => foundFailures.push(message));
    let isDown = true;
    await page.route(/assets\/words-th-[\w-]{8}\.js$/, (route) => (isDown ? route.abort() : route.continue()));
    const translate = translatorFor('th');
    await page.goto('/login');
    await page.getByLabel(translate('login:phone')).fill('0812345678');
    await page.getByLabel(translate('login:password'), { exact: true }).fill('nobody-has-it');
    await buttonByName(page, translate('login:submit')).click();
    await expect(page.getByRole('alert')).toHaveText(translate('common:noAnswer'));
    isDown = false;
    await page.getByLabel(translate('login:password'), { exact: true }).fill('nobody-had-it');
    await buttonByName(page, translate('login:submit')).click();
    await expect(page.getByRole('alert')).toHaveText(translate('errors:errorMsg.WRONG_CREDENTIAL'));
    expect(foundFailures).toEqual([]);
  });
});

base('what a form says goes on in the language that is chosen meanwhile [R-I18N-02]', async ({ page }) => {
  const foundFailures: string[] = [];
  page.on('pageerror', ({ message }) => foundFailures.push(message));
  const checkInEachWindow = async (checkEach: string): Promise<void> => {
    for (const language of ['la', 'en', 'th'] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      await expectOnlyLanguage(page, language, [], checkEach);
    }
  };
  const translate = translatorFor('th');
  await page.goto('/login');
  await buttonByName(page, translate('login:submit')).click();
  await expect(page.getByText(translate('login:phoneRequired'))).toBeVisible();
  await checkInEachWindow('login, with what is missing');
  await page.getByLabel(translate('login:phone')).fill('0812345678');
  await page.getByLabel(translate('login:password'), { exact: true }).fill('nobody-has-it');
  await buttonByName(page, translate('login:submit')).click();
  await expect(page.getByRole('alert')).toHaveText(translate('errors:errorMsg.WRONG_CREDENTIAL'));
  await checkInEachWindow('login, refused');
  await visitRegisterSteps(page, translate, (_, screenName) => checkInEachWindow(screenName));
  expect(foundFailures).toEqual([]);
});

for (const language of ['th', 'la', 'en'] as const) {
  test.describe(`in ${language}`, () => {
    test.use({ language });
    test.beforeEach(() => test.setTimeout(360_000));

    test.describe('on a tour', () => {
      const { viewport } = LANGUAGE_TOURS[language];
      test.use({ viewport });
      const titleSuffix = `no detectable fault${language === 'la' ? ', and room at 320 pixels' : ''}`;
      test(`every movement, refusal and failure has its text and ${titleSuffix} [R-I18N-02]`, async ({
        memberPage,
        member,
        translate,
        look,
        lookClosely,
      }) => {
        await fundWallet(member, 300);
        await visitEveryStatementRow(memberPage, translate, lookClosely);
        await memberPage.unrouteAll();
        await visitDepositMethods(memberPage, translate, lookClosely);
        await visitRefusedSpins(memberPage, translate, look, lookClosely);
        await visitChat(memberPage, translate, lookClosely);
        await visitWithoutServer(memberPage, lookClosely);
      });

      test(`every public page, registration step and error code has its text and ${titleSuffix} [R-I18N-02]`, async ({
        page,
        translate,
        lookClosely,
        wire,
      }) => {
        // Any code of the catalogue, from whichever call.
        wire.expectFault(/POST \/api\/login answered 400: [\w-]+ is not declared/);
        await visitPublicPages(page, translate, lookClosely);
        await visitRegisterSteps(page, translate, lookClosely);
        await page.goto('/terminated');
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await lookClosely(page, 'terminated');
        await visitRefusals(page, translate, lookClosely);
      });

      test(`every member page and dialog has its texts and ${titleSuffix} [R-I18N-02]`, async ({
        memberPage,
        member,
        translate,
        lookClosely,
      }) => {
        await visitMemberPages(memberPage, translate, member, lookClosely);
      });
    });
  });
}
