import type { Locator, Page } from '@playwright/test';
import { faultsOf } from '../../support/accessible.ts';
import { findPerson, openChat, written } from '../../support/chat.ts';
import { appUrl, type Member } from '../../support/member.ts';
import type { SupportMessage } from '../../support/outside.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const picture = (): string => `${appUrl()}/icons/icon-512.png`;
const WEB = { type: 'web', title: 'ดูโปรโมชัน', url: 'https://example.com/promo?a=1' } as const;
const AGENT = { type: 'postback', title: 'คุยกับเจ้าหน้าที่', payload: 'AGENT' } as const;

type Talk = { log: Locator; hear: (message: SupportMessage) => Promise<unknown> };

/** A member's chat, in which a person of support has their ear. */
async function talk(page: Page, member: Member): Promise<Talk> {
  await acceptAgreement(page);
  const chat = await openChat(page, say);
  return { log: chat.getByRole('log'), hear: await findPerson(chat, say, `สวัสดี ${member.phone}`) };
}

test.describe('messages of the chat', () => {
  test('a text stays as it was written, its addresses open in a window that learns nothing, and nothing in it is markup [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const text = 'ดูที่ https://example.com/a?b=1&c=(2)ได้เลย\n<img src=x onerror=alert(1)> javascript:alert(1)';
    await hear({ message_type: 'text', payload: { text } });
    const bubble = log.getByText('ได้เลย');
    await expect(bubble).toHaveText(text);
    const link = bubble.getByRole('link');
    await expect(link).toHaveCount(1);
    await expect(link).toHaveAttribute('href', 'https://example.com/a?b=1&c=(2)');
    await expect(link).toHaveAttribute('target', '_blank');
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(link).toHaveAttribute('referrerpolicy', 'no-referrer');
    await expect(log.locator('img')).toHaveCount(0);
    expect(await log.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  test('buttons open the web, dial, send their payload, or send their title [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const call = { type: 'call', title: 'โทรหาเรา', phone: '+66 2-123 4567' } as const;
    const other = { type: 'other', title: 'ขอบคุณ' } as const;
    await hear({ message_type: 'buttons', payload: { text: 'เลือกได้เลย', buttons: [WEB, call, AGENT, other] } });
    const link = log.getByRole('link', { name: WEB.title });
    await expect(link).toHaveAttribute('href', WEB.url);
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(log.getByRole('link', { name: call.title })).toHaveAttribute('href', 'tel:+6621234567');
    await log.getByRole('button', { name: AGENT.title }).dblclick();
    await log.getByRole('button', { name: other.title }).click();
    await expect
      .poll(() => written(member).then((all) => all.slice(1)))
      .toEqual([
        { message_type: 'postback', payload: { title: AGENT.title, payload: AGENT.payload } },
        { message_type: 'text', payload: { text: other.title } },
      ]);
    // Shown as what the customer said.
    await expect(log.getByRole('paragraph').filter({ hasText: AGENT.title })).toBeVisible();
  });

  test('quick replies are there until one is chosen or anything follows [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const ask: SupportMessage = {
      message_type: 'quick_replies',
      payload: {
        text: 'ได้แล้วไหม',
        quick_replies: [
          { title: 'ได้แล้ว', payload: 'DONE' },
          { title: 'ยัง', payload: '' },
        ],
      },
    };
    const replies = log.getByRole('list', { name: say('chat:media.quickReplies') });
    await hear(ask);
    await expect(replies.getByRole('button')).toHaveCount(2);
    await replies.getByRole('button', { name: 'ได้แล้ว' }).click();
    await expect(replies).toHaveCount(0);
    await expect
      .poll(() => written(member).then((all) => all.at(-1)))
      .toEqual({
        message_type: 'postback',
        payload: { title: 'ได้แล้ว', payload: 'DONE' },
      });
    await hear(ask);
    await replies.getByRole('button', { name: 'ยัง' }).click();
    await expect
      .poll(() => written(member).then((all) => all.at(-1)))
      .toEqual({
        message_type: 'text',
        payload: { text: 'ยัง' },
      });
    await hear(ask);
    await expect(replies).toBeVisible();
    await hear({ message_type: 'text', payload: { text: 'ไม่เป็นไร' } });
    await expect(log.getByText('ไม่เป็นไร')).toBeVisible();
    await expect(replies).toHaveCount(0);
  });
});

test.describe('pictures, videos, files and cards', () => {
  test('a picture keeps its place before it is there, opens large, and closes by Escape and by Back [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route(picture(), async (route) => {
      await held;
      await route.continue();
    });
    await hear({
      message_type: 'media',
      payload: { message: 'ตัวอย่างสลิป', url: picture(), fileType: 'image', filePath: '' },
    });
    const open = log.getByRole('button', { name: say('chat:media.openPicture', { name: 'ตัวอย่างสลิป' }) });
    await expect(open).toBeVisible();
    const before = await open.boundingBox();
    release();
    const image = open.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    expect(await open.boundingBox()).toEqual(before);
    const large = memberPage.getByRole('dialog', { name: say('chat:media.picture'), exact: true });
    await open.click();
    await expect(large.getByRole('img', { name: 'ตัวอย่างสลิป' })).toBeVisible();
    await memberPage.keyboard.press('Escape');
    await expect(large).toHaveCount(0);
    await open.click();
    await expect(large).toBeVisible();
    await memberPage.goBack();
    await expect(large).toHaveCount(0);
    await expect(log).toBeVisible();
  });

  test('a video can be played, a file opens elsewhere, cards are shown in a row, and an unknown kind is labelled so [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const film = `${appUrl()}/howto/balance.th.mp4`;
    await hear({ message_type: 'media', payload: { message: '', url: film, fileType: 'video', filePath: '' } });
    const video = log.getByLabel(say('chat:media.video'));
    await expect(video).toHaveAttribute('controls', '');
    await expect(video).toHaveAttribute('preload', 'metadata');
    await expect(video).toHaveAttribute('playsinline', '');
    const file = 'https://example.com/คู่มือ.pdf';
    await hear({ message_type: 'media', payload: { message: '', url: file, fileType: 'file', filePath: '' } });
    const link = log.getByRole('link', { name: 'คู่มือ.pdf' });
    await expect(link).toHaveAttribute('href', new URL(file).href);
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    await hear({
      message_type: 'generic',
      payload: {
        elements: [
          { title: 'ใบแรก', subtitle: 'ฝากครั้งแรก', image_url: picture(), buttons: [WEB] },
          { title: 'ใบที่สอง', subtitle: '', image_url: '', buttons: [AGENT] },
          { title: 'ใบที่สาม', subtitle: '', image_url: '', buttons: [] },
        ],
      },
    });
    const cards = log.getByRole('list', { name: say('chat:media.cards_other', { count: 3 }) });
    await expect(cards.getByRole('heading')).toHaveText(['ใบแรก', 'ใบที่สอง', 'ใบที่สาม']);
    await expect(cards.getByRole('link', { name: WEB.title })).toHaveAttribute('href', WEB.url);
    await cards.focus();
    await memberPage.keyboard.press('ArrowRight');
    await expect.poll(() => cards.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    await cards.getByRole('button', { name: AGENT.title }).click();
    await expect.poll(() => written(member).then((all) => all.at(-1)?.message_type)).toBe('postback');
    await hear({ message_type: 'hologram', payload: { depth: 3 } });
    await expect(log.getByText(say('chat:media.notShown'))).toBeVisible();
  });

  test('a picture whose address has expired is reloaded, and can be retried when that fails [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const old = `${picture()}?old`;
    const isOld = { value: true };
    // Like an expired address: it returns nothing, and the history returns a new one.
    await memberPage.route(old, (route) => route.fulfill({ status: 403, body: '' }));
    await memberPage.route('**/api/chat/history', async (route) => {
      const answered = await route.fetch();
      const text = await answered.text();
      await route.fulfill({ response: answered, body: isOld.value ? text : text.replaceAll('?old', '') });
    });
    await hear({ message_type: 'media', payload: { message: '', url: old, fileType: 'image', filePath: '' } });
    const again = log.getByRole('button', { name: say('chat:media.loadAgain') });
    await expect(again).toBeVisible();
    isOld.value = false;
    await again.click();
    const image = log.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
  });

  test('every kind of message can be used by who can see little or nothing, as far as a machine can tell [R-CHAT-02]', async ({
    memberPage,
    member,
  }) => {
    const { log, hear } = await talk(memberPage, member);
    const ask = [{ title: 'ได้แล้ว', payload: '' }];
    const kinds: SupportMessage[] = [
      { message_type: 'buttons', payload: { text: 'เลือกได้เลย', buttons: [WEB, AGENT] } },
      { message_type: 'media', payload: { message: 'รูป', url: picture(), fileType: 'image' } },
      { message_type: 'media', payload: { message: 'คู่มือ', url: 'https://example.com/a.pdf', fileType: 'file' } },
      { message_type: 'media', payload: { message: '', url: `${picture()}.none`, fileType: 'image' } },
      { message_type: 'generic', payload: { elements: [{ title: 'ใบแรก', image_url: picture(), buttons: [WEB] }] } },
      { message_type: 'hologram', payload: {} },
      { message_type: 'quick_replies', payload: { text: 'ได้แล้วไหม', quick_replies: ask } },
    ];
    // One after the other, or the last of them isn't the last. Two are there: the first words, and the robot's.
    for (const [before, kind] of kinds.entries()) {
      await hear(kind);
      await expect(log.locator('[data-key]')).toHaveCount(before + 3);
    }
    await expect(log.getByRole('list', { name: say('chat:media.quickReplies') })).toBeVisible();
    await expect(log.getByText(say('chat:media.notShown'))).toBeVisible();
    expect(await faultsOf(memberPage)).toEqual([]);
  });
});
