import type { BrowserContext, Page } from '@playwright/test';
import { answerTo, bubble, joined, logOf, openWindow, writeIn } from '../../support/chat.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** '' for what isn't there. */
const stored = (page: Page): Promise<{ id: string; secret: string }> =>
  page.evaluate(() => ({
    id: localStorage.getItem('guest-id') ?? '',
    secret: localStorage.getItem('guest-secret') ?? '',
  }));

/** The Authorization headers of the chat's calls, in their order. */
function passesOf(place: Page | BrowserContext): string[] {
  const passes: string[] = [];
  const note = (url: string, headers: Record<string, string>): void => {
    if (url.includes('/api/chat/')) passes.push(headers['authorization'] ?? '');
  };
  if ('goto' in place) place.on('request', (request) => note(request.url(), request.headers()));
  else place.on('request', (request) => note(request.url(), request.headers()));
  return passes;
}

/** Counts the histories that a page loads from now on. */
function loadedHistories(page: Page): () => number {
  let count = 0;
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('/api/chat/history')) count += 1;
  });
  return () => count;
}

test.describe('a visitor in the chat', () => {
  test('is known by a guest-id of this browser, shows its secret from then on, and finds the conversation again [R-CHAT-01] [R-KEY-01]', async ({
    page,
  }) => {
    const passes = passesOf(page);
    await page.goto('/contact');
    await expect(page.getByRole('button', { name: say('chat:open') })).toBeVisible();
    expect(await stored(page), 'no visitor is made without a question').toEqual({ id: '', secret: '' });
    const chat = await openWindow(page, say);
    const { id, secret } = await stored(page);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(secret).toBeTruthy();
    const sent = page.waitForRequest('**/api/chat/send-message');
    await writeIn(chat, say, 'สมัครยังไงคะ');
    expect((await sent).postDataJSON()).toEqual({
      sender: 'customer',
      message: { message_type: 'text', payload: { text: 'สมัครยังไงคะ' } },
      userId: '',
      guestId: id,
      username: '',
      name: '',
      deviceToken: '',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(passes[0]).toBe(`Guest ${id}`);
    expect(new Set(passes.slice(1))).toEqual(new Set([`Guest ${id}.${secret}`]));
    expect(await page.evaluate(() => Object.keys(localStorage).toSorted())).toEqual(['guest-id', 'guest-secret']);
    await page.reload();
    await expect(bubble(await openWindow(page, say), 'สมัครยังไงคะ')).toBeVisible();
    expect(await stored(page)).toEqual({ id, secret });
  });

  test('receives answers in the room of the guest-id', async ({ page }) => {
    await page.goto('/contact');
    const whenJoined = joined(page);
    const chat = await openWindow(page, say);
    await whenJoined;
    const question = `ถาม ${Date.now()}`;
    await writeIn(chat, say, question);
    const answer = await answerTo(question);
    await answer('ตอบแล้วค่ะ');
    await expect(bubble(chat, 'ตอบแล้วค่ะ')).toBeVisible();
  });

  test('whose secret is lost or refused gets a new conversation, and what was just written arrives', async ({
    page,
  }) => {
    await page.goto('/contact');
    let chat = await openWindow(page, say);
    await writeIn(chat, say, 'ครั้งแรก');
    const first = await stored(page);
    await page.evaluate(() => localStorage.removeItem('guest-secret'));
    await page.reload();
    const histories = loadedHistories(page);
    chat = await openWindow(page, say);
    await expect(chat.getByText(say('chat:empty'))).toBeVisible();
    // The window loads the history, and again once its socket has joined. If the route below refused that second request, the next
    // conversation would begin before the message is written.
    await expect.poll(histories).toBe(2);
    const second = await stored(page);
    expect(second.id).toMatch(/^[0-9a-f]{32}$/);
    expect(second.id).not.toBe(first.id);
    // The server has forgotten this one while the window is open. The history is refused first, and the message only when
    // the next conversation already begins, which waits for that.
    const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: isPosted, resolve: post } = Promise.withResolvers<void>();
    const refused: string[] = [];
    const logged: string[] = [];
    page.on('console', (line) => logged.push(line.text()));
    await page.route('**/api/chat/*', async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (route.request().headers()['authorization'] === `Guest ${second.id}.${second.secret}`) {
        if (path.endsWith('/send-message')) {
          post();
          await isBegun;
        }
        await route.fulfill({ status: 403, json: { message: 'KEY_INVALID', detail: 'GUEST' } });
        refused.push(path);
        return;
      }
      begin();
      await expect.poll(() => refused).toContain('/api/chat/send-message');
      await route.continue();
    });
    void isPosted.then(() => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))));
    await writeIn(chat, say, 'ครั้งที่สาม');
    expect(logged.filter((line) => line.includes('chat message not sent'))).toEqual([]);
    const third = await stored(page);
    expect(third.id).not.toBe(second.id);
    await expect(chat.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
    await page.reload();
    chat = await openWindow(page, say);
    await expect(bubble(chat, 'ครั้งที่สาม')).toHaveCount(1);
  });

  test('in two windows that open at once is one visitor', async ({ page, context }) => {
    const other = await context.newPage();
    for (const each of [page, other]) {
      await each.goto('/contact');
      await expect(each.getByRole('button', { name: say('chat:open') })).toBeVisible();
    }
    const passes = passesOf(context);
    const [one, two] = await Promise.all([openWindow(page, say), openWindow(other, say)]);
    expect(new Set(passes.filter((pass) => !pass.includes('.'))).size).toBe(1);
    await writeIn(one, say, 'จากหน้าต่างแรก');
    await expect(bubble(two, 'จากหน้าต่างแรก')).toBeVisible();
  });

  test('and a member who logs in after them see nothing of each other', async ({ page, member }) => {
    await page.goto('/contact');
    await writeIn(await openWindow(page, say), say, 'ของผู้เยี่ยมชม');
    await signIn(page, member);
    await page.goto('/user/contact');
    let chat = await openWindow(page, say);
    await expect(chat.getByText(say('chat:empty'))).toBeVisible();
    await writeIn(chat, say, 'ของสมาชิก');
    await chat.getByLabel(say('chat:message'), { exact: true }).fill('ยังไม่ส่ง');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: say('common:logout') }).click();
    await expect(page.getByRole('link', { name: say('common:menu.register'), exact: true })).toBeVisible();
    await page.getByRole('link', { name: say('common:menu.contact'), exact: true }).click();
    chat = await openWindow(page, say);
    await expect(bubble(chat, 'ของผู้เยี่ยมชม')).toBeVisible();
    await expect(logOf(chat).getByText('ของสมาชิก')).toHaveCount(0);
    await expect(chat.getByLabel(say('chat:message'), { exact: true })).toHaveValue('');
  });
});
