import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog, total } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';
import { write } from '../../support/chat.ts';

const say = speaking('th');

/** What the app does not expect: an object where a text or an entry should stand. */
const BROKEN = { broken: true };

/** Collects what the app writes to the console as an error. */
function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  return errors;
}

test.describe('a part that fails while it renders', () => {
  test('of a page shows its error and what is true of the money, the menu stays, and trying again renders fresh replies', async ({
    memberPage: page,
    member,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/statement/);
    await fund(member, 75);
    const errors = errorsOf(page);
    await page.route('**/api/statement', (route) => route.fulfill({ json: { total: 1, statements: [null] } }));
    await page.goto('/user/statement');
    const error = page.getByRole('main').getByRole('alert');
    await expect(error).toContainText(say('common:broken.part'));
    await expect(error).toContainText(say('common:broken.money'));
    await expect.poll(() => errors.join('\n')).toContain('/user/statement could not be rendered');
    for (const language of ['la', 'en'] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      await expect(error).toContainText(speaking(language)('common:broken.money'));
    }
    await page.getByRole('banner').getByRole('combobox').selectOption('th');
    await page.getByRole('link', { name: say('common:menu.home') }).click();
    await expect(total(page, say)).toHaveText('75.00');
    await page.goBack();
    await expect(error).toContainText(say('common:broken.part'));
    await page.unroute('**/api/statement');
    await button(page, say('common:retry')).click();
    await expect(page.getByRole('list', { name: say('statement:title') }).getByRole('listitem')).toHaveCount(1);
  });

  test('of a dialog shows its error in a dialog that can be closed, and the page behind it works', async ({
    memberPage: page,
    wire,
  }) => {
    wire.expectFault(/GET \/api\/lookup\/deposit/);
    await openHome(page);
    await page.route('**/api/lookup/deposit', (route) => route.fulfill({ json: [null] }));
    await button(page, say('home:deposit')).click();
    const failed = dialog(page, say('common:broken.title'));
    await expect(failed.getByRole('alert')).toContainText(say('common:broken.dialog'));
    await expect(failed.getByRole('alert')).toContainText(say('common:broken.money'));
    await button(failed, say('common:close')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await button(page, say('home:transfer')).click();
    await expect(dialog(page, say('transfer:title'))).toBeVisible();
    await page.keyboard.press('Escape');
    await button(page, say('home:deposit')).click();
    await page.unroute('**/api/lookup/deposit');
    await button(failed, say('common:retry')).click();
    await expect(dialog(page, say('deposit:title')).getByRole('region').first()).toBeVisible();
  });

  test('of the chat shows its error in the window, which can be closed', async ({ memberPage: page, member, wire }) => {
    wire.expectFault(/POST \/api\/chat\/history/);
    await write(member, 'สวัสดี');
    await page.route('**/api/chat/history', async (route) => {
      const response = await route.fetch();
      const messages = (await response.json()) as { message: object }[];
      const json = messages.map((message) => ({
        ...message,
        message: { message_type: 'text', payload: { text: BROKEN } },
      }));
      await route.fulfill({ response, json });
    });
    await page.goto('/user/contact');
    await button(page, say('chat:open')).click();
    const chat = page.getByRole('dialog', { name: say('chat:title') });
    await expect(chat.getByRole('alert')).toContainText(say('common:broken.part'));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('contact:heading'));
    await button(chat, say('common:close')).click();
    await expect(chat).toHaveCount(0);
  });

  test('of a public page says nothing of money', async ({ page, wire }) => {
    wire.expectFault(/GET \/api\/lookup\/contact/);
    await page.route('**/api/lookup/contact', (route) =>
      route.fulfill({ json: { contactText: '', lineLink: '', lineName: '', lineQR: BROKEN } }),
    );
    await page.goto('/contact');
    const error = page.getByRole('main').getByRole('alert');
    await expect(error).toContainText(say('common:broken.part'));
    await expect(error).not.toContainText(say('common:broken.money'));
    await page.unroute('**/api/lookup/contact');
    await button(page, say('common:retry')).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('contact:heading'));
  });
});
