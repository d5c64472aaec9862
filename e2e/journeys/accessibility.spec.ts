import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { newAccountNo, newPhone, type Member } from '../support/member.ts';
import { fund, openGame, transfer } from '../support/money.ts';
import { newestCode } from '../support/outside.ts';
import { acceptAgreement, expect, test } from '../support/test.ts';
import { button, card, dialog, ways } from '../support/walk.ts';
import { speaking } from '../support/words.ts';

const GAME = 'PG SLOT';
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
/** What a page of 1280 pixels has left when it is shown at four times its size. */
const NARROW = { width: 320, height: 640 };

const say = speaking('th');

/** Looks at what a page shows now. */
type Look = (page: Page, name: string) => Promise<void>;

/** No fault that a machine can find; still, so that nothing is measured on its way. */
const axe: Look = async (page, name) => {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).withTags(STANDARDS).analyze();
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  expect.soft(told, name).toEqual([]);
};

/** Everything is within the width: neither the page nor a dialog on it scrolls sideways, and no text leaves its place. */
const fits: Look = async (page, name) => {
  await settled(page);
  expect.soft(await page.evaluate(sideways), name).toEqual([]);
  expect.soft(await page.evaluate(outOfPlace), name).toEqual([]);
  await expect.soft(page.locator('html'), name).toHaveAttribute('lang', 'th');
};

/** What can be scrolled sideways, but for the carousels, which are made for it. Runs in the page. */
const sideways = (): string[] =>
  [document.documentElement, ...document.querySelectorAll('dialog, dialog *, main *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter(
      (element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX),
    )
    .filter((element) => !element.closest('[aria-roledescription=carousel], [role=group]'))
    .map((element) => `${element.tagName} ${element.className} ${element.scrollWidth} > ${element.clientWidth}`);

/** Texts that reach over the right edge of the box that they stand in. Runs in the page. */
const outOfPlace = (): string[] => {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let box = node.parentElement;
    if (!box?.checkVisibility() || box.closest('.sr-only, [role=group], option, script, style')) continue;
    while (box.parentElement && getComputedStyle(box).display === 'inline') box = box.parentElement;
    const range = document.createRange();
    range.selectNodeContents(node);
    const over = range.getBoundingClientRect().right - box.getBoundingClientRect().right;
    if (over > 1 && getComputedStyle(box).overflowX === 'visible') found.push(`${node.textContent ?? ''} by ${over}`);
  }
  return found;
};

/** Nothing is on its way any more: no answer, no movement but what turns for ever or follows the scrolling. */
const settled = async (page: Page): Promise<void> => {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          document
            .getAnimations()
            .filter(({ timeline }) => timeline instanceof DocumentTimeline)
            .filter(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations !== Infinity)
            .length,
      ),
    )
    .toBe(0);
};

async function publicPages(page: Page, look: Look): Promise<void> {
  for (const path of ['/login', '/contact', '/no-such-page']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    if (path === '/contact') await expect(page.getByRole('figure')).toBeVisible();
    await look(page, path);
  }
}

async function registerSteps(page: Page, look: Look): Promise<void> {
  const phone = newPhone();
  await page.goto('/register');
  await look(page, 'phone');
  await button(page, say('common:next')).click();
  await expect(page.getByText(say('register:phoneDigits'))).toBeVisible();
  await look(page, 'phone that is wrong');
  await page.getByLabel(say('register:phone')).fill(phone);
  await button(page, say('common:next')).click();
  await expect(page.getByLabel(say('register:code'), { exact: true })).toBeVisible();
  await look(page, 'code');
  await page.getByLabel(say('register:code'), { exact: true }).fill((await newestCode(phone)).code);
  await expect(page.getByRole('heading', { name: say('register:stepProfile') })).toBeVisible();
  await look(page, 'profile');
  await page.getByLabel(say('register:name')).fill('ทดสอบ');
  await page.getByLabel(say('register:password'), { exact: true }).fill('Basket-of-gold-9');
  await page.getByLabel(say('register:confirmPassword')).fill('Basket-of-gold-9');
  await page.getByLabel(say('register:source')).selectOption({ index: 1 });
  await button(page, say('common:next')).click();
  await page.getByLabel(say('register:accountNo')).fill(newAccountNo());
  await button(page, say('register:submit')).click();
  await expect(page.getByText(say('register:bankRequired'))).toBeVisible();
  await look(page, 'bank, with what is missing');
}

async function inSheet(
  page: Page,
  opener: Locator,
  title: string,
  look: (sheet: Locator) => Promise<void>,
): Promise<void> {
  await opener.click();
  const sheet = dialog(page, title);
  await expect(sheet).toBeVisible();
  await look(sheet);
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
}

async function memberPages(page: Page, member: Member, look: Look): Promise<void> {
  await fund(member, 321);
  await openGame(member, 'pg');
  await transfer(member, 'WALLET', 'pg', 20);
  await page.goto('/user/home');
  const agreement = dialog(page, say('agreement:title'));
  await expect(agreement).toBeVisible();
  await look(page, 'agreement');
  await button(agreement, say('agreement:accept')).click();
  await expect(agreement).toBeHidden();
  await look(page, 'home');
  await inSheet(page, button(page, say('home:deposit')), say('deposit:title'), async (sheet) => {
    await expect(ways(sheet, say, 'qr').first()).toBeVisible();
    await look(page, 'ways to deposit');
    await ways(sheet, say, 'qr').first().click();
    await expect(button(sheet, say('deposit:create'))).toBeVisible();
    await look(page, 'deposit form');
    await button(sheet, '50').click();
    await button(sheet, say('deposit:create')).click();
    await expect(sheet.getByRole('timer')).toBeVisible();
    await look(page, 'live QR');
  });
  await inSheet(page, button(page, say('home:transfer')), say('transfer:title'), async (sheet) => {
    await button(sheet, say('transfer:submit')).click();
    await expect(sheet.getByRole('alert').first()).toBeVisible();
    await look(page, 'transfer');
  });
  await inSheet(page, button(page, say('home:withdraw')), say('withdraw:title'), async (sheet) => {
    await button(sheet, say('withdraw:submit')).click();
    await expect(sheet.getByRole('alert').first()).toBeVisible();
    await look(page, 'withdraw');
  });
  await inSheet(page, button(page, say('home:invite')), say('invite:title'), async (sheet) => {
    await expect(sheet.getByRole('img', { name: say('invite:qr') })).toBeVisible();
    await look(page, 'invite');
  });
  await inSheet(page, button(page, say('home:refund')), say('refund:title'), () => look(page, 'refund'));
  await inSheet(page, card(page, GAME), GAME, async (sheet) => {
    await button(sheet, say('game:show')).click();
    await expect(sheet.getByRole('region', { name: say('game:credentials') })).toBeVisible();
    await look(page, 'game');
  });
  await page.goto('/user/statement');
  await expect(page.getByRole('list', { name: say('statement:title') })).toBeVisible();
  await look(page, 'statement');
  await inSheet(page, button(page, say('statement:slips.open')), say('statement:slips.title'), async (sheet) => {
    await expect(sheet.getByText(say('statement:slips.empty'))).toBeVisible();
    await look(page, 'slips');
  });
  for (const path of ['/user/bonus', '/user/spin']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await look(page, path);
  }
  await page.goto('/user/profile');
  await expect(page.getByText(member.id)).toBeVisible();
  await look(page, 'profile');
  await inSheet(page, button(page, say('profile:changePassword')), say('profile:changePassword'), () =>
    look(page, 'change of password'),
  );
  await page.goto('/user/contact');
  await expect(page.getByRole('figure')).toBeVisible();
  await look(page, 'contact');
}

test.describe('for everybody', () => {
  test.beforeEach(() => test.setTimeout(120_000));

  for (const [name, viewport] of Object.entries(SIZES)) {
    test.describe(name, () => {
      test.use({ viewport });

      test('the public pages and each step of registering have no fault that a machine can find', async ({ page }) => {
        await publicPages(page, axe);
        await registerSteps(page, axe);
      });

      test('the member’s pages and their dialogs have no fault that a machine can find', async ({
        memberPage,
        member,
      }) => {
        await memberPages(memberPage, member, axe);
      });
    });
  }

  test.describe('at 320 pixels', () => {
    test.use({ viewport: NARROW });

    test('no public page, and no step of registering, has to be scrolled sideways', async ({ page }) => {
      await publicPages(page, fits);
      await registerSteps(page, fits);
    });

    test('no page of the member and no dialog has to be scrolled sideways', async ({ memberPage, member }) => {
      await memberPages(memberPage, member, fits);
    });
  });

  test('at twice its size nothing is lost or has to be scrolled sideways', async ({ browser, memberPage, member }) => {
    await fund(member, 123_456.5);
    // A window of 780 pixels at 200 %: half the room for the page, each of its pixels twice as large.
    const zoomed = await browser.newContext({
      viewport: { width: 390, height: 422 },
      deviceScaleFactor: 2,
      storageState: await memberPage.context().storageState(),
    });
    const page = await zoomed.newPage();
    await acceptAgreement(page);
    for (const path of ['/user/home', '/user/statement', '/user/profile', '/user/contact']) {
      await page.goto(new URL(path, memberPage.url()).href);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await fits(page, path);
      const menu = page.getByRole('navigation', { name: say('common:menu.label') });
      await expect(menu.getByRole('link', { name: say('common:menu.home') })).toBeInViewport();
    }
    await zoomed.close();
  });
});
