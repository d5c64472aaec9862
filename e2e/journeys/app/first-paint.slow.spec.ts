import type { Page } from '@playwright/test';
import { rememberAgreement } from '../../support/home.ts';
import { appUrl } from '../../support/member.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { type Language, type Translate, translatorFor } from '../../support/translate.ts';

const HTML_LANG: Readonly<Record<Language, string>> = { th: 'th', la: 'lo', en: 'en' };

/** Text of each page before its data has loaded. */
const MEMBER_PAGE_TEXTS: Readonly<Record<string, string>> = {
  '/': 'home:deposit',
  '/user/home': 'home:bonusConditions',
  '/user/profile': 'profile:title',
  '/user/bonus': 'bonus:title',
  '/user/spin': 'spinwheel:title',
  '/user/statement': 'statement:title',
  '/user/contact': 'contact:heading',
  '/user/howto': 'howto:heading',
  '/nowhere': 'parts:notFound.heading',
};
const VISITOR_PAGE_TEXTS: Readonly<Record<string, string>> = {
  '/': 'login:title',
  '/user/statement': 'login:title',
  '/login': 'login:title',
  '/register': 'register:title',
  '/howto': 'howto:heading',
  '/contact': 'contact:heading',
  '/user/nowhere': 'parts:notFound.heading',
};

/** Holds the app's scripts back from now on. @returns releases the scripts */
async function holdScripts(page: Page): Promise<() => Promise<void>> {
  const { promise: scriptsReleased, resolve: releaseScripts } = Promise.withResolvers<void>();
  const SCRIPT_GLOB = '**/assets/*.js';
  await page.route(SCRIPT_GLOB, async (route) => {
    await scriptsReleased;
    // The page that requested the script may be closed already.
    await route.continue().catch(() => undefined);
  });
  return async () => {
    releaseScripts();
    await page.unroute(SCRIPT_GLOB);
  };
}

/** Sets the cookies of a returning browser. */
async function rememberVisit(page: Page, language: Language, isMember: boolean): Promise<void> {
  await page.context().clearCookies();
  const cookies = { language: language.toUpperCase(), ...(isMember && { member: '1' }) };
  await page.context().addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: appUrl() })));
  await page.addInitScript((locale) => localStorage.setItem('locale', locale), language);
}

/** Expects each page, rendered without scripts, in the language and with its menu. */
async function expectShown(
  page: Page,
  textsByPath: Readonly<Record<string, string>>,
  language: Language,
): Promise<void> {
  const translate: Translate = translatorFor(language);
  for (const [path, expectedText] of Object.entries(textsByPath)) {
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.locator('main').getByText(translate(expectedText), { exact: true }).first(), path).toBeVisible();
    await expect(page.locator('html'), path).toHaveAttribute('lang', HTML_LANG[language]);
    await expect(page.getByText(translate(`common:language.${language}`)).first(), path).toBeVisible();
  }
}

for (const language of ['th', 'la', 'en'] as const) {
  test.describe(`in ${language}, with all scripts held back`, () => {
    test('every address shows a member its prerendered page while all scripts are blocked', async ({
      memberPage: page,
    }) => {
      await rememberVisit(page, language, true);
      await holdScripts(page);
      await expectShown(page, MEMBER_PAGE_TEXTS, language);
    });

    test('every address shows a visitor its prerendered page while scripts are blocked, and member addresses the login page', async ({
      page,
    }) => {
      await rememberVisit(page, language, false);
      await holdScripts(page);
      await expectShown(page, VISITOR_PAGE_TEXTS, language);
    });
  });
}

/** Elements whose position is fixed from the first paint. */
const STORED_STYLES =
  'header, header > *, nav, nav > *, main, main h1, main [role=group] > *, main section[aria-labelledby], main form';

type ElementBox = { elementKind: string; x: number; y: number; width: number };

/** Positions; heights follow from the elements below. */
const readBoxes = (page: Page): Promise<ElementBox[]> =>
  page.evaluate(
    (storedStyles) =>
      [...document.querySelectorAll(storedStyles)].map((element) => {
        const { x, y, width } = element.getBoundingClientRect();
        // A tile replaces its skeleton, so the element itself may change.
        const elementKind = element.closest('[role=group]') ? 'tile' : element.nodeName.toLowerCase();
        return { elementKind, x: Math.round(x), y: Math.round(y), width: Math.round(width) };
      }),
    STORED_STYLES,
  );

for (const [size, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport });

    test('elements of the prerendered page keep their position when the app takes over', async ({
      memberPage: page,
    }) => {
      test.setTimeout(180_000);
      await rememberVisit(page, 'th', true);
      // Its dialog would come with a header of its own.
      await rememberAgreement(page);
      for (const path of [
        '/user/home',
        '/user/profile',
        '/user/statement',
        '/user/contact',
        '/user/howto',
        '/user/spin',
      ]) {
        const releaseScripts = await holdScripts(page);
        await page.goto(path, { waitUntil: 'commit' });
        await expect(page.locator('#root[inert] main')).toBeVisible();
        await page.evaluate(() => document.fonts.ready);
        const first = await readBoxes(page);
        expect(first.length, path).toBeGreaterThan(5);
        await releaseScripts();
        await expect(page.locator('#root:not([inert]) h1')).toBeVisible();
        await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
        expect(await readBoxes(page), path).toEqual(first);
      }
    });
  });
}

/** Lightness from 0 to 255 of the colour behind an element. Runs in the page. */
const readLightness = (element: Element): number => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return Number.NaN;
  context.fillStyle = getComputedStyle(element).backgroundColor;
  context.fillRect(0, 0, 1, 1);
  return Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3));
};

for (const { chosen, system, expected } of [
  { chosen: null, system: 'light', expected: 'light' },
  { chosen: null, system: 'dark', expected: 'dark' },
  { chosen: 'light', system: 'dark', expected: 'light' },
  { chosen: 'dark', system: 'light', expected: 'dark' },
] as const) {
  test(`the first paint is ${expected} if the member has chosen ${chosen ?? 'no theme'} and the system is ${system}, before any script`, async ({
    memberPage: page,
  }) => {
    await rememberVisit(page, 'th', true);
    await page.addInitScript((theme) => theme && localStorage.setItem('theme', theme), chosen);
    await page.emulateMedia({ colorScheme: system });
    await holdScripts(page);
    for (const path of ['/user/home', '/user/profile', '/user/howto']) {
      await page.goto(path, { waitUntil: 'commit' });
      await expect(page.locator('#root[inert] header')).toBeVisible();
      for (const selector of ['html', 'header', 'nav']) {
        const lightness = await page.locator(selector).evaluate(readLightness);
        if (expected === 'light') expect(lightness, `${selector} of ${path}`).toBeGreaterThan(220);
        else expect(lightness, `${selector} of ${path}`).toBeLessThan(60);
      }
    }
  });
}

test('a cached page in another language, or of a member without a session, is not shown', async ({ page }) => {
  await rememberVisit(page, 'th', true);
  await page.addInitScript(() => localStorage.setItem('locale', 'en'));
  for (const path of ['/login', '/user/home']) {
    const letThrough = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.locator('#root main')).toBeAttached();
    await expect(page.locator('#root main')).toBeHidden();
    await letThrough();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor('en')('login:title'));
    await expect(page).toHaveURL(/\/login(\?|$)/);
    await page.context().addCookies([{ name: 'member', value: '1', url: appUrl() }]);
  }
});

const readNaturalWidth = (image: Element): number => (image as HTMLImageElement).naturalWidth;
/** Pictures that a page shows before its scripts. */
const EARLY_PICTURES: Readonly<Record<string, string>> = {
  '/user/bonus': '[data-early-banner]',
  '/user/contact': '[data-early-code]',
};
/** As seeded. */
const wheelTerms = translatorFor('th')('spinwheel:earn', { amount: '฿300.00' });

test('a page sends its first call before its scripts load, shows the reply before they run, and the app reuses it', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 1_250.55);
  await rememberVisit(page, 'th', true);
  for (const [path, expectedCall] of [
    ['/user/statement', 'POST /api/statement'],
    ['/user/profile', 'GET /api/account/profile'],
    ['/user/bonus', 'GET /api/bonus'],
    ['/user/spin', 'GET /api/spinwheel/setup'],
    ['/user/contact', 'GET /api/lookup/contact'],
    ['/user/home', 'GET /api/wallet'],
  ] as const) {
    const requestedCalls: string[] = [];
    const recordRequest = (request: { method: () => string; url: () => string }): void =>
      void requestedCalls.push(`${request.method()} ${new URL(request.url()).pathname}`);
    page.on('request', recordRequest);
    const letThrough = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect.poll(() => requestedCalls).toContain(expectedCall);
    await expect(page.locator('#root[inert]')).toBeAttached();
    // Each data request occupies one of the browser's six concurrent connections.
    expect(requestedCalls.indexOf(expectedCall), path).toBeLessThan(
      requestedCalls.findIndex((call) => call.includes('/assets/libraries-')),
    );
    const balance = page.locator('#root[inert] .fit-amount');
    if (path === '/user/home') await expect(balance).toHaveText('1,250.55');
    if (path === '/user/spin') await expect(page.locator('#root[inert] main')).toContainText(wheelTerms);
    const picture = EARLY_PICTURES[path];
    if (picture !== undefined)
      await expect
        .poll(() => page.locator(`#root[inert] ${picture}`).first().evaluate(readNaturalWidth), path)
        .toBeGreaterThan(0);
    await letThrough();
    await expect(page.locator('#root:not([inert]) h1')).toBeVisible();
    await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
    if (path === '/user/home') await expect(page.locator('.fit-amount')).toHaveText('1,250.55');
    if (path === '/user/spin') await expect(page.locator('main')).toContainText(wheelTerms);
    // Home loads again when the providers have reported their balances.
    if (path !== '/user/home')
      expect(requestedCalls.filter((requestedCall) => requestedCall === expectedCall)).toHaveLength(1);
    page.off('request', recordRequest);
  }
});

test('a balance in kip is not shown before the app has loaded, because the early label says baht', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 1_250.55);
  await rememberVisit(page, 'th', true);
  await page.route('**/api/wallet', async (route) => {
    const reply = await route.fetch();
    const wallet = await reply.json();
    await route.fulfill({ json: { ...wallet, profile: { ...wallet.profile, currency: 'LAK' } } });
  });
  const letThrough = await holdScripts(page);
  await page.goto('/user/home', { waitUntil: 'commit' });
  const totalPanel = page.locator('section', { has: page.locator('.fit-amount') });
  await expect(page.locator('#root[inert]')).toBeAttached();
  await page.evaluate(async () => {
    const { firstCalls } = globalThis as { firstCalls?: { replies: Record<string, Promise<Response>> } };
    await (await firstCalls?.replies['GET /api/wallet '])?.clone().json();
    await new Promise(requestAnimationFrame);
  });
  await expect(page.locator('#root[inert] .fit-amount')).toHaveText('');
  await letThrough();
  await expect(totalPanel.locator('.fit-amount')).toHaveText('1,250.55');
  await expect(totalPanel).toContainText(translatorFor('th')('home:kip'));
});

test('after login the next cached page is that of a member, after logout that of a visitor', async ({
  page,
  member,
  context,
}) => {
  const readCookie = async () => (await context.cookies()).find(({ name }) => name === 'member')?.value;
  await signIn(page, member);
  await page.goto('/user/profile');
  await expect.poll(readCookie).toBe('1');
  await page.getByRole('banner').getByRole('button').click();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(readCookie).toBeUndefined();
});
