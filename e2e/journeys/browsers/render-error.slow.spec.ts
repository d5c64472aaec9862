import type { Page } from '@playwright/test';
import { sendChatMessage } from '../../support/chat.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, totalBalanceText } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** An object where the app expects a text or an entry. */
const BROKEN_STATE = { broken: true };

/** Collects the app's console errors. */
function recordPageErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  return errors;
}

test.describe('a part that fails while it renders', () => {
  test('a page that fails to render shows an error with the state of the money, keeps the menu, and retries with fresh replies', async ({
    memberPage: page,
    member,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/statement/);
    await fundWallet(member, 75);
    const errors = recordPageErrors(page);
    await page.route('**/api/statement', (route) => route.fulfill({ json: { total: 1, statements: [null] } }));
    await page.goto('/user/statement');
    const error = page.getByRole('main').getByRole('alert');
    await expect(error).toContainText(translate('common:broken.part'));
    await expect(error).toContainText(translate('common:broken.money'));
    await expect.poll(() => errors.join('\n')).toContain('/user/statement could not be rendered');
    for (const language of ['la', 'en'] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      await expect(error).toContainText(translatorFor(language)('common:broken.money'));
    }
    await page.getByRole('banner').getByRole('combobox').selectOption('th');
    await page.getByRole('link', { name: translate('common:menu.home') }).click();
    await expect(totalBalanceText(page, translate)).toHaveText('75.00');
    await page.goBack();
    await expect(error).toContainText(translate('common:broken.part'));
    await page.unroute('**/api/statement');
    await buttonByName(page, translate('common:retry')).click();
    await expect(page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem')).toHaveCount(1);
  });

  test('a dialog that fails to render shows an error that can be closed, and the page behind it works', async ({
    memberPage: page,
    wire,
  }) => {
    wire.expectFault(/GET \/api\/lookup\/deposit/);
    await openHome(page);
    await page.route('**/api/lookup/deposit', (route) => route.fulfill({ json: [null] }));
    await buttonByName(page, translate('home:deposit')).click();
    const brokenDialog = dialogByName(page, translate('common:broken.title'));
    await expect(brokenDialog.getByRole('alert')).toContainText(translate('common:broken.dialog'));
    await expect(brokenDialog.getByRole('alert')).toContainText(translate('common:broken.money'));
    await buttonByName(brokenDialog, translate('common:close')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await buttonByName(page, translate('home:transfer')).click();
    await expect(dialogByName(page, translate('transfer:title'))).toBeVisible();
    await page.keyboard.press('Escape');
    await buttonByName(page, translate('home:deposit')).click();
    await page.unroute('**/api/lookup/deposit');
    await buttonByName(brokenDialog, translate('common:retry')).click();
    await expect(dialogByName(page, translate('deposit:title')).getByRole('region').first()).toBeVisible();
  });

  test('a chat that fails to render shows an error in its window, which can be closed', async ({
    memberPage: page,
    member,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/chat\/history/);
    await sendChatMessage(member, 'สวัสดี');
    await page.route('**/api/chat/history', async (route) => {
      const response = await route.fetch();
      const messages = (await response.json()) as { message: object }[];
      const json = messages.map((message) => ({
        ...message,
        message: { message_type: 'text', payload: { text: BROKEN_STATE } },
      }));
      await route.fulfill({ response, json });
    });
    await page.goto('/user/contact');
    await buttonByName(page, translate('chat:open')).click();
    const chat = page.getByRole('dialog', { name: translate('chat:title') });
    await expect(chat.getByRole('alert')).toContainText(translate('common:broken.part'));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('contact:heading'));
    await buttonByName(chat, translate('common:close')).click();
    await expect(chat).toHaveCount(0);
  });

  test('a public page that fails to render shows an error that does not mention money', async ({ page, wire }) => {
    wire.expectFault(/GET \/api\/lookup\/contact/);
    await page.route('**/api/lookup/contact', (route) =>
      route.fulfill({ json: { contactText: '', lineLink: '', lineName: '', lineQR: BROKEN_STATE } }),
    );
    await page.goto('/contact');
    const error = page.getByRole('main').getByRole('alert');
    await expect(error).toContainText(translate('common:broken.part'));
    await expect(error).not.toContainText(translate('common:broken.money'));
    await page.unroute('**/api/lookup/contact');
    await buttonByName(page, translate('common:retry')).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('contact:heading'));
  });
});
