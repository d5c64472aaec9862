import { openChatWindow } from '../../support/chat.ts';
import { openHomeAndAgree } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Keys of the specification, and additional keys of the app. */
const DOCUMENTED_KEYS = ['guest-id', 'invite code', 'last_sync', 'locale', 'remember-agreement', 'token'];
const OWN_KEYS = ['endings-seen', 'guest-secret', 'install-offer', 'last-balance', 'phone'];

test('the browser stores token, locale, remember-agreement, last_sync, invite code and guest-id under these names [R-KEY-01]', async ({
  page,
  member,
}) => {
  test.setTimeout(120_000);
  const readStorage = () => page.evaluate(() => Object.fromEntries(Object.entries<string>(localStorage)));
  await page.goto(`/register?code=PR${member.id}`);
  await expect.poll(readStorage).toEqual({ 'invite code': `PR${member.id}` });

  const language = page.getByRole('combobox').first();
  await language.selectOption('en');
  await expect.poll(readStorage).toMatchObject({ locale: 'en' });
  await language.selectOption('th');
  await expect.poll(readStorage).toMatchObject({ locale: 'th' });

  await page.goto('/contact');
  await openChatWindow(page, translate);
  await expect.poll(async () => (await readStorage())['guest-id']).toMatch(/^[0-9a-f]{32}$/);

  await page.goto('/login');
  await page.getByLabel(translate('login:phone')).fill(member.phone);
  await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
  await page.getByLabel(translate('login:remember')).check();
  await buttonByName(page, translate('login:submit')).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  expect((await readStorage())['token']).toMatch(/^[\w-]{65}$/);

  await openHomeAndAgree(page);
  await expect.poll(async () => Date.parse((await readStorage())['last_sync'] ?? '')).toBeGreaterThan(0);
  await expect.poll(async () => (await readStorage())['remember-agreement']).toBeTruthy();

  const names = Object.keys(await readStorage());
  expect(names).toEqual(expect.arrayContaining(DOCUMENTED_KEYS));
  expect(names.filter((name) => !DOCUMENTED_KEYS.includes(name) && !OWN_KEYS.includes(name))).toEqual([]);
});
