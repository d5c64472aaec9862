import type { BrowserContext, Page } from '@playwright/test';
import {
  findConversationByText,
  chatBubble,
  waitForRoomJoined,
  chatLog,
  openChatWindow,
  sendInChatWindow,
} from '../../support/chat.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

/** '' for a missing value. */
const readGuestSecret = (page: Page): Promise<{ id: string; secret: string }> =>
  page.evaluate(() => ({
    id: localStorage.getItem('guest-id') ?? '',
    secret: localStorage.getItem('guest-secret') ?? '',
  }));

/** The Authorization headers of the chat's calls, in their order. */
function recordPasses(source: Page | BrowserContext): string[] {
  const sentPasses: string[] = [];
  const recordPass = (url: string, headers: Record<string, string>): void => {
    if (url.includes('/api/chat/')) sentPasses.push(headers['authorization'] ?? '');
  };
  if ('goto' in source) source.on('request', (request) => recordPass(request.url(), request.headers()));
  else source.on('request', (request) => recordPass(request.url(), request.headers()));
  return sentPasses;
}

/** Counts the history requests of a page from now on. */
function countLoadedHistories(page: Page): () => number {
  let count = 0;
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('/api/chat/history')) count += 1;
  });
  return () => count;
}

test.describe('a visitor in the chat', () => {
  test('a visitor is identified by a guest-id and secret of the browser, and finds the conversation again [R-CHAT-01] [R-KEY-01]', async ({
    page,
  }) => {
    const sentPasses = recordPasses(page);
    await page.goto('/contact');
    await expect(page.getByRole('button', { name: translate('chat:open') })).toBeVisible();
    expect(await readGuestSecret(page), 'no visitor is made without a question').toEqual({ id: '', secret: '' });
    const chat = await openChatWindow(page, translate);
    const { id, secret } = await readGuestSecret(page);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(secret).toBeTruthy();
    const sendRequest = page.waitForRequest('**/api/chat/send-message');
    await sendInChatWindow(chat, translate, 'สมัครยังไงคะ');
    expect((await sendRequest).postDataJSON()).toEqual({
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
    expect(sentPasses[0]).toBe(`Guest ${id}`);
    expect(new Set(sentPasses.slice(1))).toEqual(new Set([`Guest ${id}.${secret}`]));
    expect(await page.evaluate(() => Object.keys(localStorage).toSorted())).toEqual(['guest-id', 'guest-secret']);
    await page.reload();
    await expect(chatBubble(await openChatWindow(page, translate), 'สมัครยังไงคะ')).toBeVisible();
    expect(await readGuestSecret(page)).toEqual({ id, secret });
  });

  test('a visitor receives replies in the room of the guest-id', async ({ page }) => {
    await page.goto('/contact');
    const whenJoined = waitForRoomJoined(page);
    const chat = await openChatWindow(page, translate);
    await whenJoined;
    const question = `ถาม ${Date.now()}`;
    await sendInChatWindow(chat, translate, question);
    const sendReply = await findConversationByText(question);
    await sendReply('ตอบแล้วค่ะ');
    await expect(chatBubble(chat, 'ตอบแล้วค่ะ')).toBeVisible();
  });

  test('a visitor whose secret is lost or refused gets a new conversation, and the message just written arrives', async ({
    page,
  }) => {
    await page.goto('/contact');
    let chat = await openChatWindow(page, translate);
    await sendInChatWindow(chat, translate, 'ครั้งแรก');
    const first = await readGuestSecret(page);
    await page.evaluate(() => localStorage.removeItem('guest-secret'));
    await page.reload();
    const loadedHistory = countLoadedHistories(page);
    chat = await openChatWindow(page, translate);
    await expect(chat.getByText(translate('chat:empty'))).toBeVisible();
    // The window loads the history, and again after its socket has joined. Refusing that second request would start the
    // next conversation before the message is written.
    await expect.poll(loadedHistory).toBe(2);
    const second = await readGuestSecret(page);
    expect(second.id).toMatch(/^[0-9a-f]{32}$/);
    expect(second.id).not.toBe(first.id);
    // The server forgets the guest while the window is open. First the history is refused; the message is refused only
    // once the next conversation begins.
    const { promise: isBegun, resolve: beginSending } = Promise.withResolvers<void>();
    const { promise: isPosted, resolve: releasePost } = Promise.withResolvers<void>();
    const refusedTexts: string[] = [];
    const logged: string[] = [];
    page.on('console', (message) => logged.push(message.text()));
    await page.route('**/api/chat/*', async (route) => {
      const path = new URL(route.request().url()).pathname;
      if (route.request().headers()['authorization'] === `Guest ${second.id}.${second.secret}`) {
        if (path.endsWith('/send-message')) {
          releasePost();
          await isBegun;
        }
        await route.fulfill({ status: 403, json: { message: 'KEY_INVALID', detail: 'GUEST' } });
        refusedTexts.push(path);
        return;
      }
      beginSending();
      await expect.poll(() => refusedTexts).toContain('/api/chat/send-message');
      await route.continue();
    });
    void isPosted.then(() => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))));
    await sendInChatWindow(chat, translate, 'ครั้งที่สาม');
    expect(logged.filter((text) => text.includes('chat message not sent'))).toEqual([]);
    const third = await readGuestSecret(page);
    expect(third.id).not.toBe(second.id);
    await expect(chat.getByRole('alert').filter({ hasText: /./ })).toHaveCount(0);
    await page.reload();
    chat = await openChatWindow(page, translate);
    await expect(chatBubble(chat, 'ครั้งที่สาม')).toHaveCount(1);
  });

  test('a visitor who opens two windows simultaneously is one visitor', async ({ page, context }) => {
    const other = await context.newPage();
    for (const openPage of [page, other]) {
      await openPage.goto('/contact');
      await expect(openPage.getByRole('button', { name: translate('chat:open') })).toBeVisible();
    }
    const sentPasses = recordPasses(context);
    const [first, second] = await Promise.all([openChatWindow(page, translate), openChatWindow(other, translate)]);
    expect(new Set(sentPasses.filter((sentPass) => !sentPass.includes('.'))).size).toBe(1);
    await sendInChatWindow(first, translate, 'จากหน้าต่างแรก');
    await expect(chatBubble(second, 'จากหน้าต่างแรก')).toBeVisible();
  });

  test('a visitor and a later member in one browser see nothing of each other', async ({ page, member }) => {
    await page.goto('/contact');
    await sendInChatWindow(await openChatWindow(page, translate), translate, 'ของผู้เยี่ยมชม');
    await signIn(page, member);
    await page.goto('/user/contact');
    let chat = await openChatWindow(page, translate);
    await expect(chat.getByText(translate('chat:empty'))).toBeVisible();
    await sendInChatWindow(chat, translate, 'ของสมาชิก');
    await chat.getByLabel(translate('chat:message'), { exact: true }).fill('ยังไม่ส่ง');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: translate('common:logout') }).click();
    await expect(page.getByRole('link', { name: translate('common:menu.register'), exact: true })).toBeVisible();
    await page.getByRole('link', { name: translate('common:menu.contact'), exact: true }).click();
    chat = await openChatWindow(page, translate);
    await expect(chatBubble(chat, 'ของผู้เยี่ยมชม')).toBeVisible();
    await expect(chatLog(chat).getByText('ของสมาชิก')).toHaveCount(0);
    await expect(chat.getByLabel(translate('chat:message'), { exact: true })).toHaveValue('');
  });
});
