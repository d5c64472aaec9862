import { randomBytes } from 'node:crypto';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import type { Locator, Page } from '@playwright/test';
import { api, type Member } from './member.ts';
import { sendSupportMessage, type SupportMessage, supportConversations, supportMessages } from './simulators.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';
import { buttonByName, dialogByName } from './user-actions.ts';

/**
 * A message reaches the chat backend within a second, and after a failed call two seconds later. The robot replies
 * after more than a second.
 */
const BACKEND_MS = 30_000;

/** A member's messages, oldest first. */
export async function readMemberMessages(member: Member): Promise<ChatMessage['message'][]> {
  const { body } = await api<ChatMessage[]>('POST', '/api/chat/history', { token: member.token, body: { limit: 100 } });
  return body
    .filter(({ sender }) => sender === 'customer')
    .map(({ message }) => message)
    .reverse();
}

/** Opens the chat from the contact page. @returns its window, which receives messages sent from now on */
export async function openChat(page: Page, translate: Translate, path = '/user/contact'): Promise<Locator> {
  const whenJoined = waitForRoomJoined(page);
  await page.goto(path);
  await page.getByRole('button', { name: translate('chat:open') }).click();
  const chat = page.getByRole('dialog', { name: translate('chat:title') });
  await expect(chat.getByRole('button', { name: translate('chat:attach.button') })).toBeEnabled();
  await whenJoined;
  return chat;
}

/**
 * Sends a unique text, and makes a support agent take over from the robot.
 * @returns sends a reply as the agent
 */
export async function startChatWithSupportAgent(
  chat: Locator,
  translate: Translate,
  messageText: string,
): Promise<(message: SupportMessage) => Promise<unknown>> {
  await chat.getByRole('textbox', { name: translate('chat:message') }).fill(messageText);
  await chat.getByRole('button', { name: translate('chat:send'), exact: true }).click();
  await expect(chat.getByRole('list', { name: translate('chat:media.quickReplies') })).toBeVisible({
    timeout: BACKEND_MS,
  });
  for (const { id } of await supportConversations()) {
    const messages = await supportMessages(id);
    if (messages.some(({ message }) => message.payload['text'] === messageText))
      return (message) => sendSupportMessage(id, message);
  }
  throw new Error(`support has not read ${messageText}`);
}

/** Sends a message as the member by the API. */
export async function sendChatMessage(member: Member, text: string): Promise<void> {
  const { status } = await api('POST', '/api/chat/send-message', {
    token: member.token,
    key: randomBytes(16).toString('hex'),
    body: { message: { message_type: 'text', payload: { text } } },
  });
  expect(status).toBe(200);
}

/** Texts of a member's messages, oldest first. */
export const readMemberMessageTexts = async (member: Member): Promise<unknown[]> =>
  (await readMemberMessages(member)).map(({ payload }) => ('text' in payload ? payload.text : undefined));

/** Sends a text as a support agent. */
/** Number of replies that the server counts as unread. */
export const countUnreadReplies = async ({ token }: Member): Promise<number> =>
  (await api<{ unread: number }>('GET', '/api/chat/config', { token })).body.unread;

export type SendSupportReply = (text: string) => Promise<unknown>;

/** Waits for the conversation with this unique text. @returns sends a support reply to the conversation */
export async function findConversationByText(messageText: string): Promise<SendSupportReply> {
  const conversationId = await conversationOf(messageText);
  return (text) => sendSupportMessage(conversationId, { message_type: 'text', payload: { text } });
}

/** Waits for the conversation with this unique text. @returns its id at the chat backend */
export async function conversationOf(messageText: string): Promise<string> {
  let conversationId: string | undefined;
  await expect
    .poll(
      async () => {
        for (const { id } of await supportConversations()) {
          const messages = await supportMessages(id);
          if (messages.some(({ message }) => message.payload['text'] === messageText)) return (conversationId = id);
        }
        return undefined;
      },
      { timeout: BACKEND_MS },
    )
    .toBeTruthy();
  return conversationId ?? '';
}

/** Waits until a member's conversation has this many messages, at most a hundred. */
export const waitForStoredMessages = ({ token }: Member, count: number): Promise<void> =>
  expect
    .poll(
      async () => (await api<unknown[]>('POST', '/api/chat/history', { token, body: { limit: 100 } })).body.length,
      {
        timeout: BACKEND_MS,
      },
    )
    .toBe(count);

/**
 * Starts a member's conversation with three read messages: the member's, the robot's and an agent's, after which the
 * robot stays silent.
 */
export async function startConversation(member: Member): Promise<SendSupportReply> {
  const messageText = `สวัสดี ${member.phone}`;
  await sendChatMessage(member, messageText);
  const { token } = member;
  await waitForStoredMessages(member, 2);
  const sendReply = await findConversationByText(messageText);
  await sendReply('เจ้าหน้าที่มาแล้วค่ะ');
  await waitForStoredMessages(member, 3);
  await api('PUT', '/api/chat/read-customer/', { token, body: {} });
  return sendReply;
}

/** Opens the window with the round button of the current page, and waits until it is readable. */
export async function openChatWindow(page: Page, translate: Translate): Promise<Locator> {
  // A second after the page has loaded, the button's name contains the number of unread messages.
  await page
    .getByRole('button', { name: translate('chat:open') })
    .and(page.locator('[aria-haspopup=dialog]'))
    .click();
  const chat = dialogByName(page, translate('chat:title'));
  // The window's code, the session and the messages load one after another.
  await expect(chatLog(chat)).toBeVisible({ timeout: 20_000 });
  return chat;
}

export const chatLog = (chat: Locator): Locator => chat.getByRole('log');
export const chatInput = (chat: Locator, translate: Translate): Locator =>
  chat.getByLabel(translate('chat:message'), { exact: true });
/** Texts of the window. */
export const chatBubble = (chat: Locator, text: string): Locator => chatLog(chat).getByText(text, { exact: true });

/** Sends a text in the window and waits until it has arrived. */
export async function sendInChatWindow(chat: Locator, translate: Translate, text: string): Promise<void> {
  await chatInput(chat, translate).fill(text);
  await buttonByName(chat, translate('chat:send')).click();
  const row = chatLog(chat)
    .locator('[data-key]')
    .filter({ has: chat.page().getByText(text, { exact: true }) });
  await expect(row.getByText(translate('chat:state.succeed'), { exact: true })).toBeAttached();
  await expect(chatBubble(chat, text)).toBeVisible();
}

/** Resolves when the window's socket has joined its room. Call this before opening the window. */
export async function waitForRoomJoined(page: Page): Promise<void> {
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
