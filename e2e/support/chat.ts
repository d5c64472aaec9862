import { randomBytes } from 'node:crypto';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { answerInChat, type SupportMessage, supportConversations, supportMessages } from './outside.ts';
import { expect } from './test.ts';
import { button, dialog } from './walk.ts';
import type { Say } from './words.ts';

/**
 * What a customer writes goes to the chat backend within a second, is tried again two seconds after a call that got no answer,
 * and its robot thinks for more than one before its answer takes the same way back.
 */
const BACKEND_MS = 30_000;

/** What a member has written, the oldest first. */
export async function written(member: Member): Promise<ChatMessage['message'][]> {
  const { body } = await api<ChatMessage[]>('POST', '/api/chat/history', { token: member.token, body: { limit: 100 } });
  return body
    .filter(({ sender }) => sender === 'customer')
    .map(({ message }) => message)
    .reverse();
}

/** Opens the chat from the contact page. @returns its window, which receives what is written from then on */
export async function openChat(page: Page, say: Say, path = '/user/contact'): Promise<Locator> {
  const whenJoined = joined(page);
  await page.goto(path);
  await page.getByRole('button', { name: say('chat:open') }).click();
  const chat = page.getByRole('dialog', { name: say('chat:title') });
  await expect(chat.getByRole('button', { name: say('chat:attach.button') })).toBeEnabled();
  await whenJoined;
  return chat;
}

/**
 * Writes unique words, and lets a person of support take over from the robot that greets.
 * @returns answers as that person
 */
export async function findPerson(
  chat: Locator,
  say: Say,
  words: string,
): Promise<(message: SupportMessage) => Promise<unknown>> {
  await chat.getByRole('textbox', { name: say('chat:message') }).fill(words);
  await chat.getByRole('button', { name: say('chat:send'), exact: true }).click();
  await expect(chat.getByRole('list', { name: say('chat:media.quickReplies') })).toBeVisible({ timeout: BACKEND_MS });
  for (const { id } of await supportConversations()) {
    const messages = await supportMessages(id);
    if (messages.some(({ message }) => message.payload['text'] === words))
      return (message) => answerInChat(id, message);
  }
  throw new Error(`support has not read ${words}`);
}

/** Writes as a member, without the page. */
export async function write(member: Member, text: string): Promise<void> {
  const { status } = await api('POST', '/api/chat/send-message', {
    token: member.token,
    key: randomBytes(16).toString('hex'),
    body: { message: { message_type: 'text', payload: { text } } },
  });
  expect(status).toBe(200);
}

/** Texts that a member has written, the oldest first. */
export const textsOf = async (member: Member): Promise<unknown[]> =>
  (await written(member)).map(({ payload }) => ('text' in payload ? payload.text : undefined));

/** Answers with a text, as a person of support. */
export type Answer = (text: string) => Promise<unknown>;

/** @param words unique ones @returns how support answers to them, once it has read them */
export async function answerTo(words: string): Promise<Answer> {
  let found: string | undefined;
  await expect
    .poll(
      async () => {
        for (const { id } of await supportConversations()) {
          const messages = await supportMessages(id);
          if (messages.some(({ message }) => message.payload['text'] === words)) return (found = id);
        }
        return undefined;
      },
      { timeout: BACKEND_MS },
    )
    .toBeTruthy();
  return (text) => answerInChat(found ?? '', { message_type: 'text', payload: { text } });
}

/** Resolves when a member's conversation has so many messages, at most a hundred. */
export const untilStored = ({ token }: Member, count: number): Promise<void> =>
  expect
    .poll(
      async () => (await api<unknown[]>('POST', '/api/chat/history', { token, body: { limit: 100 } })).body.length,
      {
        timeout: BACKEND_MS,
      },
    )
    .toBe(count);

/**
 * A member's conversation of three messages that were read: theirs, the robot's, and that of a person, after which the robot
 * keeps quiet.
 */
export async function begin(member: Member): Promise<Answer> {
  const words = `สวัสดี ${member.phone}`;
  await write(member, words);
  const { token } = member;
  await untilStored(member, 2);
  const answer = await answerTo(words);
  await answer('เจ้าหน้าที่มาแล้วค่ะ');
  await untilStored(member, 3);
  await api('PUT', '/api/chat/read-customer/', { token, body: {} });
  return answer;
}

/** The window that the round button opens on the page that is shown, once it can be read. */
export async function openWindow(page: Page, say: Say): Promise<Locator> {
  // A second after the page has loaded, its name has the number of unread messages.
  await page
    .getByRole('button', { name: say('chat:open') })
    .and(page.locator('[aria-haspopup=dialog]'))
    .click();
  const chat = dialog(page, say('chat:title'));
  // Its code, the session and its messages load one after another.
  await expect(logOf(chat)).toBeVisible({ timeout: 20_000 });
  return chat;
}

export const logOf = (chat: Locator): Locator => chat.getByRole('log');
export const fieldOf = (chat: Locator, say: Say): Locator => chat.getByLabel(say('chat:message'), { exact: true });
/** Texts of the window. */
export const bubble = (chat: Locator, text: string): Locator => logOf(chat).getByText(text, { exact: true });

/** Writes something in the window and sees that it has arrived. */
export async function writeIn(chat: Locator, say: Say, text: string): Promise<void> {
  await fieldOf(chat, say).fill(text);
  await button(chat, say('chat:send')).click();
  const row = logOf(chat)
    .locator('[data-key]')
    .filter({ has: chat.page().getByText(text, { exact: true }) });
  await expect(row.getByText(say('chat:state.succeed'), { exact: true })).toBeAttached();
  await expect(bubble(chat, text)).toBeVisible();
}

/** Resolves when a window's own line has been let into its room. To be called before it is opened. */
export async function joined(page: Page): Promise<void> {
  await page.waitForEvent('websocket', {
    predicate: async (socket) => {
      let isOfChat = false;
      await new Promise<void>((resolve) => {
        socket.on('framesent', ({ payload }) => {
          isOfChat ||= /"chat:.*"(token|guestSecret)"/.test(String(payload));
        });
        socket.on('framereceived', ({ payload }) => {
          if (isOfChat && /^43\d*\[.*"joined":true/.test(String(payload))) resolve();
        });
      });
      return true;
    },
  });
}
