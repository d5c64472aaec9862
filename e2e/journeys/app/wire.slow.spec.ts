import { fund } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';

const WRONG = { json: { isActive: 'yes' } };
const FAULT = /GET \/api\/spinwheel\/active answered 200: isActive/;

test('a reply that breaks the contract is found, in a window of its own, too', async ({
  memberPage,
  wire,
  browser,
}) => {
  wire.expectFault(FAULT);
  wire.expectFault(/POST \/api\/login answered 418: this status is not declared/);
  await memberPage.route('**/api/spinwheel/active', (route) => route.fulfill(WRONG));
  const wrong = memberPage.waitForResponse('**/api/spinwheel/active');
  await memberPage.goto('/user/home');
  await (await wrong).finished();
  const other = await browser.newContext();
  const page = await other.newPage();
  await page.route('**/api/login', (route) => route.fulfill({ status: 418, json: { message: 'LOGIN_FAIL' } }));
  await page.goto(new URL('/icon.svg', memberPage.url()).href);
  await page.evaluate(() => fetch('/api/login', { method: 'POST' }).then((reply) => reply.text()));
  await other.close();
});

test('events and acknowledgements of the socket are checked', async ({ memberPage, member, wire }) => {
  await memberPage.goto('/user/home');
  await expect.poll(() => [...wire.packets]).toContain('join');
  await fund(member, 20);
  await expect.poll(() => [...wire.packets]).toContain('event');
});

test.describe('a test whose app received a wrong reply', () => {
  test.fail();

  test('fails', async ({ memberPage }) => {
    await memberPage.route('**/api/spinwheel/active', (route) => route.fulfill(WRONG));
    const wrong = memberPage.waitForResponse('**/api/spinwheel/active');
    await memberPage.goto('/user/home');
    await (await wrong).finished();
  });
});
