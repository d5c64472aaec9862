import { openWindow } from '../../support/chat.ts';
import { openHomeAndAgree } from '../../support/home.ts';
import { button } from '../../support/walk.ts';
import { expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** Keys of the specification, and two of our own beside them. */
const NAMED = ['guest-id', 'invite code', 'last_sync', 'locale', 'remember-agreement', 'token'];
const OWN = ['endings-seen', 'guest-secret'];

test('the browser keeps token, locale, remember-agreement, last_sync, invite code and guest-id under these names [R-KEY-01]', async ({
  page,
  member,
}) => {
  test.setTimeout(120_000);
  const stored = () => page.evaluate(() => Object.fromEntries(Object.entries<string>(localStorage)));
  await page.goto(`/register?code=PR${member.id}`);
  await expect.poll(stored).toEqual({ 'invite code': `PR${member.id}` });

  const language = page.getByRole('combobox').first();
  await language.selectOption('en');
  await expect.poll(stored).toMatchObject({ locale: 'en' });
  await language.selectOption('th');
  await expect.poll(stored).toMatchObject({ locale: 'th' });

  await page.goto('/contact');
  await openWindow(page, say);
  await expect.poll(async () => (await stored())['guest-id']).toMatch(/^[0-9a-f]{32}$/);

  await page.goto('/login');
  await page.getByLabel(say('login:phone')).fill(member.phone);
  await page.getByLabel(say('login:password'), { exact: true }).fill(member.password);
  await page.getByLabel(say('login:remember')).check();
  await button(page, say('login:submit')).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  expect((await stored())['token']).toMatch(/^[\w-]{43}$/);

  await openHomeAndAgree(page);
  await expect.poll(async () => Date.parse((await stored())['last_sync'] ?? '')).toBeGreaterThan(0);
  await expect.poll(async () => (await stored())['remember-agreement']).toBeTruthy();

  const names = Object.keys(await stored());
  expect(names).toEqual(expect.arrayContaining(NAMED));
  expect(names.filter((name) => !NAMED.includes(name) && !OWN.includes(name))).toEqual([]);
});
