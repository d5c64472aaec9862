import type { Locator, Page } from '@playwright/test';
import { findAccessibilityFaults } from '../../support/accessible.ts';
import { startChatWithSupportAgent, openChat, readMemberMessages } from '../../support/chat.ts';
import { appUrl, type Member } from '../../support/member.ts';
import type { SupportMessage } from '../../support/simulators.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');
const imageUrl = (): string => `${appUrl()}/icons/icon-512.png`;
const WEB_BUTTON = { type: 'web', title: 'ดูโปรโมชัน', url: 'https://example.com/promo?a=1' } as const;
const AGENT_BUTTON = { type: 'postback', title: 'คุยกับเจ้าหน้าที่', payload: 'AGENT' } as const;

type SupportChat = { log: Locator; send: (message: SupportMessage) => Promise<unknown> };

/** Opens a member's chat that a support agent has taken over. */
async function startChat(page: Page, member: Member): Promise<SupportChat> {
  await acceptAgreement(page);
  const chat = await openChat(page, translate);
  return {
    log: chat.getByRole('log'),
    send: await startChatWithSupportAgent(chat, translate, `สวัสดี ${member.phone}`),
  };
}

test.describe('messages of the chat', () => {
  test('a text message is shown unchanged, executes no markup, and its links open without referrer or opener [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const text = 'ดูที่ https://example.com/a?b=1&c=(2)ได้เลย\n<img src=x onerror=alert(1)> javascript:alert(1)';
    await send({ message_type: 'text', payload: { text } });
    const replyBubble = log.getByText('ได้เลย');
    await expect(replyBubble).toHaveText(text);
    const link = replyBubble.getByRole('link');
    await expect(link).toHaveCount(1);
    await expect(link).toHaveAttribute('href', 'https://example.com/a?b=1&c=(2)');
    await expect(link).toHaveAttribute('target', '_blank');
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(link).toHaveAttribute('referrerpolicy', 'no-referrer');
    await expect(log.locator('img')).toHaveCount(0);
    expect(await log.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  test('buttons of a message open a page, dial, send their payload, or send their title [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const callButton = { type: 'call', title: 'โทรหาเรา', phone: '+66 2-123 4567' } as const;
    const otherButton = { type: 'other', title: 'ขอบคุณ' } as const;
    await send({
      message_type: 'buttons',
      payload: { text: 'เลือกได้เลย', buttons: [WEB_BUTTON, callButton, AGENT_BUTTON, otherButton] },
    });
    const link = log.getByRole('link', { name: WEB_BUTTON.title });
    await expect(link).toHaveAttribute('href', WEB_BUTTON.url);
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(log.getByRole('link', { name: callButton.title })).toHaveAttribute('href', 'tel:+6621234567');
    await log.getByRole('button', { name: AGENT_BUTTON.title }).dblclick();
    await log.getByRole('button', { name: otherButton.title }).click();
    await expect
      .poll(() => readMemberMessages(member).then((messages) => messages.slice(1)))
      .toEqual([
        { message_type: 'postback', payload: { title: AGENT_BUTTON.title, payload: AGENT_BUTTON.payload } },
        { message_type: 'text', payload: { text: otherButton.title } },
      ]);
    // Displayed as the customer's message.
    await expect(log.getByRole('paragraph').filter({ hasText: AGENT_BUTTON.title })).toBeVisible();
  });

  test('quick replies disappear when one is chosen or another message follows [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const askMessage: SupportMessage = {
      message_type: 'quick_replies',
      payload: {
        text: 'ได้แล้วไหม',
        quick_replies: [
          { title: 'ได้แล้ว', payload: 'DONE' },
          { title: 'ยัง', payload: '' },
        ],
      },
    };
    const replies = log.getByRole('list', { name: translate('chat:media.quickReplies') });
    await send(askMessage);
    await expect(replies.getByRole('button')).toHaveCount(2);
    await replies.getByRole('button', { name: 'ได้แล้ว' }).click();
    await expect(replies).toHaveCount(0);
    await expect
      .poll(() => readMemberMessages(member).then((messages) => messages.at(-1)))
      .toEqual({
        message_type: 'postback',
        payload: { title: 'ได้แล้ว', payload: 'DONE' },
      });
    await send(askMessage);
    await replies.getByRole('button', { name: 'ยัง' }).click();
    await expect
      .poll(() => readMemberMessages(member).then((messages) => messages.at(-1)))
      .toEqual({
        message_type: 'text',
        payload: { text: 'ยัง' },
      });
    await send(askMessage);
    await expect(replies).toBeVisible();
    await send({ message_type: 'text', payload: { text: 'ไม่เป็นไร' } });
    await expect(log.getByText('ไม่เป็นไร')).toBeVisible();
    await expect(replies).toHaveCount(0);
  });
});

test.describe('pictures, videos, files and cards', () => {
  test('a picture reserves its space before it loads, opens enlarged, and closes by Escape and by Back [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const { promise: imageReleased, resolve: releaseImage } = Promise.withResolvers<void>();
    await memberPage.route(imageUrl(), async (route) => {
      await imageReleased;
      await route.continue();
    });
    const payload = { message: 'ตัวอย่างสลิป', url: imageUrl(), fileType: 'image', filePath: '' };
    await send({ message_type: 'media', payload });
    const name = translate('chat:media.openPicture', { name: 'ตัวอย่างสลิป' });
    const openButton = log.getByRole('button', { name });
    await expect(openButton).toBeVisible();
    const before = await openButton.boundingBox();
    releaseImage();
    const image = openButton.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    expect(await openButton.boundingBox()).toEqual(before);
    const largeImage = memberPage.getByRole('dialog', { name: translate('chat:media.picture'), exact: true });
    await openButton.click();
    await expect(largeImage.getByRole('img', { name: 'ตัวอย่างสลิป' })).toBeVisible();
    await memberPage.keyboard.press('Escape');
    await expect(largeImage).toHaveCount(0);
    await openButton.click();
    await expect(largeImage).toBeVisible();
    await memberPage.goBack();
    await expect(largeImage).toHaveCount(0);
    await expect(log).toBeVisible();
  });

  test('a video plays, a file opens in another window, cards are in a row, and an unknown message kind is labelled [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const filmUrl = `${appUrl()}/howto/balance.th.mp4`;
    await send({ message_type: 'media', payload: { message: '', url: filmUrl, fileType: 'video', filePath: '' } });
    const video = log.getByLabel(translate('chat:media.video'));
    await expect(video).toHaveAttribute('controls', '');
    await expect(video).toHaveAttribute('preload', 'metadata');
    await expect(video).toHaveAttribute('playsinline', '');
    const file = 'https://example.com/คู่มือ.pdf';
    await send({ message_type: 'media', payload: { message: '', url: file, fileType: 'file', filePath: '' } });
    const link = log.getByRole('link', { name: 'คู่มือ.pdf' });
    await expect(link).toHaveAttribute('href', new URL(file).href);
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await send({
      message_type: 'generic',
      payload: {
        elements: [
          { title: 'ใบแรก', subtitle: 'ฝากครั้งแรก', image_url: imageUrl(), buttons: [WEB_BUTTON] },
          { title: 'ใบที่สอง', subtitle: '', image_url: '', buttons: [AGENT_BUTTON] },
          { title: 'ใบที่สาม', subtitle: '', image_url: '', buttons: [] },
        ],
      },
    });
    const cardList = log.getByRole('list', { name: translate('chat:media.cards_other', { count: 3 }) });
    await expect(cardList.getByRole('heading')).toHaveText(['ใบแรก', 'ใบที่สอง', 'ใบที่สาม']);
    await expect(cardList.getByRole('link', { name: WEB_BUTTON.title })).toHaveAttribute('href', WEB_BUTTON.url);
    await cardList.focus();
    await memberPage.keyboard.press('ArrowRight');
    await expect.poll(() => cardList.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    await cardList.getByRole('button', { name: AGENT_BUTTON.title }).click();
    await expect
      .poll(() => readMemberMessages(member).then((messages) => messages.at(-1)?.message_type))
      .toBe('postback');
    await send({ message_type: 'hologram', payload: { depth: 3 } });
    await expect(log.getByText(translate('chat:media.notShown'))).toBeVisible();
  });

  test('a picture whose address has expired is reloaded, and can be retried if that fails [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, send } = await startChat(memberPage, member);
    const oldUrl = `${imageUrl()}?old`;
    const isOld = { value: true };
    // Behaves like an expired address: it returns nothing, and the history returns a new address.
    await memberPage.route(oldUrl, (route) => route.fulfill({ status: 403, body: '' }));
    await memberPage.route('**/api/chat/history', async (route) => {
      const serverReply = await route.fetch();
      const text = await serverReply.text();
      await route.fulfill({ response: serverReply, body: isOld.value ? text : text.replaceAll('?old', '') });
    });
    await send({ message_type: 'media', payload: { message: '', url: oldUrl, fileType: 'image', filePath: '' } });
    const loadAgainButton = log.getByRole('button', { name: translate('chat:media.loadAgain') });
    await expect(loadAgainButton).toBeVisible();
    isOld.value = false;
    await loadAgainButton.click();
    const image = log.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
  });

  test('every kind of message passes the automated accessibility check [R-CHAT-02]', async ({ memberPage, member }) => {
    const { log, send } = await startChat(memberPage, member);
    const quickReplies = [{ title: 'ได้แล้ว', payload: '' }];
    const supportMessages: SupportMessage[] = [
      { message_type: 'buttons', payload: { text: 'เลือกได้เลย', buttons: [WEB_BUTTON, AGENT_BUTTON] } },
      { message_type: 'media', payload: { message: 'รูป', url: imageUrl(), fileType: 'image' } },
      { message_type: 'media', payload: { message: 'คู่มือ', url: 'https://example.com/a.pdf', fileType: 'file' } },
      { message_type: 'media', payload: { message: '', url: `${imageUrl()}.none`, fileType: 'image' } },
      {
        message_type: 'generic',
        payload: { elements: [{ title: 'ใบแรก', image_url: imageUrl(), buttons: [WEB_BUTTON] }] },
      },
      { message_type: 'hologram', payload: {} },
      { message_type: 'quick_replies', payload: { text: 'ได้แล้วไหม', quick_replies: quickReplies } },
    ];
    // One after another, because each check reads the last message. The chat already has two: the greeting and the
    // robot's reply.
    for (const [before, supportMessage] of supportMessages.entries()) {
      await send(supportMessage);
      await expect(log.locator('[data-key]')).toHaveCount(before + 3);
    }
    await expect(log.getByRole('list', { name: translate('chat:media.quickReplies') })).toBeVisible();
    await expect(log.getByText(translate('chat:media.notShown'))).toBeVisible();
    expect(await findAccessibilityFaults(memberPage)).toEqual([]);
  });
});
