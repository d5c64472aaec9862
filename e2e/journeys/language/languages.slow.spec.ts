import { readFile } from 'node:fs/promises';
import { spinErrors } from '@krapao/contract/endpoints/spinwheel';
import { slipReasons } from '@krapao/contract/endpoints/deposit/slip';
import { withdrawReasons } from '@krapao/contract/endpoints/withdraw';
import { errorCodes } from '@krapao/contract/errors';
import { htmlLang } from '@krapao/contract/languages';
import type { Page, ViewportSize } from '@playwright/test';
import { DESK, faultlessHere, faultlessInForcedColours, fits, PHONE } from '../../support/accessible.ts';
import { fieldOf, openChat } from '../../support/chat.ts';
import { expectOwnWords, foreignWords } from '../../support/foreign-words.ts';
import { openHome } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { expect, test as base } from '../../support/test.ts';
import { type Look, memberPages, publicPages, registerSteps } from '../../support/tour.ts';
import { button, dialog, ways } from '../../support/walk.ts';
import { openWheel, spinButton } from '../../support/wheel.ts';
import { type Language, type Say, speaking } from '../../support/words.ts';

const ICON = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

/**
 * Tour of each language: the window in which its texts are read, another one that is checked for automatically detectable
 * faults, and an extra check: forced colours; for Lao whether everything fits into 320 pixels (1280 at 400 % zoom).
 */
const TOURS: Readonly<Record<Language, { viewport: ViewportSize; other: ViewportSize; besides: Look }>> = {
  th: { viewport: PHONE, other: DESK, besides: faultlessInForcedColours },
  la: { viewport: { width: 320, height: 640 }, other: DESK, besides: fits },
  en: { viewport: DESK, other: PHONE, besides: faultlessInForcedColours },
};

type Options = { language: Language };
type Fixtures = {
  say: Say;
  /** Nothing on the page is of another language, or a key without words. */
  look: Look;
  /** The extra check of its tour finds no fault. */
  lookClosely: Look;
};

const test = base.extend<Options & Fixtures>({
  language: ['th', { option: true }],
  say: async ({ language }, use) => use(speaking(language)),
  look: async ({ page, language, member }, use) => {
    await page.addInitScript((chosen) => localStorage.setItem('locale', chosen), language);
    // The app logs a missing translation like any other failure of its own.
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    await use(async (one, name) => {
      await expect(one.locator('[aria-busy=true]')).toHaveCount(0);
      await expect.soft(one.locator('html'), name).toHaveAttribute('lang', htmlLang[language]);
      await expectOwnWords(one, language, [member.name], name);
    });
    expect(failures).toEqual([]);
  },
  lookClosely: async ({ look, language }, use) => {
    const { viewport, other, besides } = TOURS[language];
    await use(async (page, name) => {
      // It begins in the window that the look before has left, because a change takes a sixth of a look's time.
      const isOther = page.viewportSize()?.width === other.width;
      for (const size of isOther ? [other, viewport] : [viewport, other]) {
        if (size.width !== page.viewportSize()?.width) await page.setViewportSize(size);
        await faultlessHere(page, name);
        if (size === other) continue;
        await look(page, name);
        await besides(page, name);
      }
    });
  },
});

/** Codes that end the session wherever they come, so that no form gets to say them. */
const LEAVING: readonly string[] = ['gone'];

/** The login form is answered with each code, and shows it in words. */
async function refusals(page: Page, say: Say, look: Look): Promise<void> {
  let code = '';
  await page.route('**/api/login', (route) => route.fulfill(json({ message: code }, 400)));
  await page.goto('/login');
  await page.getByLabel(say('login:phone')).fill('0812345678');
  await page.getByLabel(say('login:password'), { exact: true }).fill('Basket-of-gold-9');
  for (code of errorCodes.filter((one) => !LEAVING.includes(one))) {
    await button(page, say('login:submit')).click();
    await expect(page.getByRole('alert'), code).toHaveText(say(`errors:errorMsg.${code}`));
  }
  await look(page, 'a refusal');
  await page.route('**/api/login', (route) => route.abort());
  await button(page, say('login:submit')).click();
  await expect(page.getByRole('alert')).toHaveText(say('common:noAnswer'));
  await page.context().setOffline(true);
  await expect(page.getByText(say('common:offline.now'))).toBeVisible();
  await look(page, 'without a line');
  await page.context().setOffline(false);
}

/** More than one member has: each kind and state of a movement, each reason why a slip or a payout failed. */
async function everyMovement(page: Page, say: Say, look: Look): Promise<void> {
  const at = (index: number) => ({ _id: `id-${index}`, reference: `R${index}`, createdAt: new Date().toISOString() });
  const reward = (kind: string) => ({ from: kind.toUpperCase(), to: 'WALLET', [kind]: { description: '5' } });
  const kinds = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'];
  const entries = [
    ...['bank:SCB', 'BANK', 'WALLET_APP', 'FP'].map((from) => ({ statementType: 'deposit', from, to: 'WALLET' })),
    ...kinds.map((kind) => ({ statementType: 'bonus', ...reward(kind) })),
    ...kinds.flatMap((kind) =>
      ['SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED'].map((end) => ({
        statementType: 'finish_bonus',
        ...reward(kind),
        end,
        amount: end === 'CANCELLED' ? -5 : 0,
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
  ].map((entry, index) => ({ status: 'SUCCESS', amount: 5, requested: 5, reason: null, ...at(index), ...entry }));
  const slips = ['SUCCESS', 'PROCESSING', ...slipReasons].map((note, index) => {
    const isReason = index > 1;
    return {
      ...at(index),
      amount: 5,
      status: isReason ? 'FAILED' : note,
      note: isReason ? note : null,
      underReview: false,
      link: null,
    };
  });
  await page.route('**/api/statement', (route) => route.fulfill(json({ total: entries.length, statements: entries })));
  await page.route('**/api/statement/slip', (route) => route.fulfill(json({ total: slips.length, slips })));
  await page.goto('/user/statement');
  await expect(page.getByRole('list', { name: say('statement:title') }).getByRole('listitem')).toHaveCount(
    entries.length,
  );
  // Several reasons may share a text: the first is checked.
  for (const reason of withdrawReasons) {
    const words = say('statement:withdrawFailed', { reason: say(`parts:withdrawReason.${reason}`) });
    await expect(page.getByText(words).first()).toBeVisible();
  }
  await look(page, 'every movement');
  await button(page, say('statement:slips.open')).click();
  const sheet = dialog(page, say('statement:slips.title'));
  for (const reason of slipReasons)
    await expect(sheet.getByText(say(`statement:slips.reason.${reason}`)).first()).toBeVisible();
  await look(page, 'every slip');
}

/** Each kind of way to deposit that the operator has. */
async function deposits(page: Page, say: Say, look: Look): Promise<void> {
  await openHome(page);
  await button(page, say('home:deposit')).click();
  const sheet = dialog(page, say('deposit:title'));
  for (const kind of ['bank', 'wallet', 'slip'] as const) {
    await ways(sheet, say, kind).first().click();
    // A wide window has the list beside.
    const back = button(sheet, say('deposit:otherWays'));
    await expect(back.or(ways(sheet, say, kind).first()).first()).toBeVisible();
    await look(page, `deposit by ${kind}`);
    if (await back.isVisible()) await back.click();
  }
}

/** The wheel refuses with an answer: its own words for some codes, those of every failure for the others. */
async function refusedSpins(page: Page, say: Say, look: Look, lookClosely: Look): Promise<void> {
  let error = '';
  await page.route('**/api/spinwheel/spin', (route) => route.fulfill(json({ success: false, error, result: null })));
  await openWheel(page);
  for (error of [...spinErrors, 'NO_WALLET']) {
    await spinButton(page, say).click();
    const key = error === 'NO_WALLET' ? `errors:errorMsg.${error}` : `spinwheel:error.${error}`;
    await expect(page.getByRole('dialog')).toContainText(say(key));
    // One dialog says them all.
    await (error === spinErrors[0] ? lookClosely : look)(page, `a spin refused: ${error}`);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
}

/** The chat: empty, with an open attachment, an invalid one, and a failed message. */
async function chatting(page: Page, say: Say, look: Look): Promise<void> {
  const chat = await openChat(page, say);
  await look(page, 'chat');
  const choose = async (name: string): Promise<void> => {
    const choosing = page.waitForEvent('filechooser');
    await button(chat, say('chat:attach.button')).click();
    await (await choosing).setFiles({ name, mimeType: 'image/png', buffer: await readFile(ICON) });
  };
  await choose('1.png');
  await expect(dialog(page, say('chat:attach.title'))).toBeVisible();
  await look(page, 'attachment of the chat');
  await page.keyboard.press('Escape');
  await choose('1.pdf');
  await expect(chat.getByRole('alert')).toHaveText(say('chat:attach.notSupported'));
  await look(page, 'attachment that is refused');
  await page.route('**/api/chat/send-message', (route) => route.fulfill(json({ message: 'REQUEST_LIMIT_1MIN' }, 429)));
  await fieldOf(chat, say).fill('123');
  await button(chat, say('chat:send')).click();
  await expect(button(chat, say('chat:resend'))).toBeVisible();
  await look(page, 'message that failed');
}

/** Nothing can be had from the server: each page says so, or shows what it has. */
async function withoutServer(page: Page, look: Look): Promise<void> {
  await page.route('**/api/**', (route) => route.fulfill(json({ message: 'INTERNAL_SERVER_ERROR' }, 500)));
  for (const path of ['home', 'profile', 'bonus', 'spin', 'statement', 'contact']) {
    await page.goto(`/user/${path}`);
    await expect(page.locator('main > *').first()).toBeVisible();
    await expect(page.locator('main [role=status][aria-label]')).toHaveCount(0);
    await look(page, `${path} without the server`);
  }
}

base('a sentence without words, and one that is left in English, are noticed', async ({ memberPage: page }) => {
  const failures: string[] = [];
  page.on('pageerror', ({ message }) => failures.push(message));
  await page.route(/assets\/words-th-[\w-]{8}\.js$/, async (route) => {
    const answer = await route.fetch();
    const words = (await answer.text())
      .replace('changePassword:', 'lost:')
      .replace(/holder:`[^`]*`/g, 'holder:`the holder`');
    await route.fulfill({ response: answer, body: words });
  });
  await page.goto('/user/profile');
  await expect(page.getByText('SOMYING THOTSOP')).toBeVisible();
  expect(failures[0]).toBe('no words for th profile:changePassword');
  expect(await foreignWords(page, 'th', ['สมหญิง ทดสอบ'])).toEqual(
    expect.arrayContaining(['changePassword', 'the holder']),
  );
});

base.describe('when words do not come', () => {
  base('a refusal is not told by its code [R-I18N-02]', async ({ page }) => {
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    let isDown = true;
    await page.route(/assets\/words-th-[\w-]{8}\.js$/, (route) => (isDown ? route.abort() : route.continue()));
    const say = speaking('th');
    await page.goto('/login');
    await page.getByLabel(say('login:phone')).fill('0812345678');
    await page.getByLabel(say('login:password'), { exact: true }).fill('nobody-has-it');
    await button(page, say('login:submit')).click();
    await expect(page.getByRole('alert')).toHaveText(say('common:noAnswer'));
    isDown = false;
    await page.getByLabel(say('login:password'), { exact: true }).fill('nobody-had-it');
    await button(page, say('login:submit')).click();
    await expect(page.getByRole('alert')).toHaveText(say('errors:errorMsg.WRONG_CREDENTIAL'));
    expect(failures).toEqual([]);
  });
});

base('what a form says goes on in the language that is chosen meanwhile [R-I18N-02]', async ({ page }) => {
  const failures: string[] = [];
  page.on('pageerror', ({ message }) => failures.push(message));
  const inEach = async (where: string): Promise<void> => {
    for (const language of ['la', 'en', 'th'] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      await expectOwnWords(page, language, [], where);
    }
  };
  const say = speaking('th');
  await page.goto('/login');
  await button(page, say('login:submit')).click();
  await expect(page.getByText(say('login:phoneRequired'))).toBeVisible();
  await inEach('login, with what is missing');
  await page.getByLabel(say('login:phone')).fill('0812345678');
  await page.getByLabel(say('login:password'), { exact: true }).fill('nobody-has-it');
  await button(page, say('login:submit')).click();
  await expect(page.getByRole('alert')).toHaveText(say('errors:errorMsg.WRONG_CREDENTIAL'));
  await inEach('login, refused');
  await registerSteps(page, say, (_, where) => inEach(where));
  expect(failures).toEqual([]);
});

for (const language of ['th', 'la', 'en'] as const) {
  test.describe(`in ${language}`, () => {
    test.use({ language });
    test.beforeEach(() => test.setTimeout(360_000));

    test.describe('on a tour', () => {
      const { viewport } = TOURS[language];
      test.use({ viewport });
      const also = `no fault that a machine can find${language === 'la' ? ', and room at 320 pixels' : ''}`;
      test(`every movement, refusal and failure that may come has its words and ${also} [R-I18N-02]`, async ({
        memberPage,
        member,
        say,
        look,
        lookClosely,
      }) => {
        await fund(member, 300);
        await everyMovement(memberPage, say, lookClosely);
        await memberPage.unrouteAll();
        await deposits(memberPage, say, lookClosely);
        await refusedSpins(memberPage, say, look, lookClosely);
        await chatting(memberPage, say, lookClosely);
        await withoutServer(memberPage, lookClosely);
      });

      test(`every public page, step of registering and code of an error has its words and ${also} [R-I18N-02]`, async ({
        page,
        say,
        lookClosely,
        wire,
      }) => {
        // Any code of the catalogue, whichever call answers it.
        wire.expectFault(/POST \/api\/login answered 400: [\w-]+ is not declared/);
        await publicPages(page, say, lookClosely);
        await registerSteps(page, say, lookClosely);
        await page.goto('/terminated');
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await lookClosely(page, 'terminated');
        await refusals(page, say, lookClosely);
      });

      test(`every page of the member and its dialogs have their words and ${also} [R-I18N-02]`, async ({
        memberPage,
        member,
        say,
        lookClosely,
      }) => {
        await memberPages(memberPage, say, member, lookClosely);
      });
    });
  });
}
