import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { openChat, writeIn, written } from '../../support/chat.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const english = speaking('en');
const MEGABYTE = 1024 * 1024;
/** A picture is re-encoded before it is accepted, which may take the server half a minute. */
const UPLOAD = { timeout: 30_000 };
/** So slow that a megabyte takes ten seconds. */
const SLOW_UPLOAD = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: MEGABYTE / 10 };
const ICON = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
const FILM = new URL('../../support/sample.mp4', import.meta.url);

type Chosen = { name: string; mimeType: string; buffer: Buffer };
const png = async (name = 'slip.png'): Promise<Chosen> => ({
  name,
  mimeType: 'image/png',
  buffer: await readFile(ICON),
});
const film = async (): Promise<Chosen> => ({ name: 'FILM.MP4', mimeType: 'video/mp4', buffer: await readFile(FILM) });

const preview = (page: Page): Locator => page.getByRole('dialog', { name: say('chat:attach.title') });

/** Chooses files as one does: by the button in the composer. */
async function choose(page: Page, chat: Locator, ...files: Chosen[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await chat.getByRole('button', { name: say('chat:attach.button') }).click();
  await (await choosing).setFiles(files);
}

/** Lets files of empty bytes go over the window. */
const drop = (chat: Locator, ...files: { name: string; size: number }[]): Promise<void> =>
  chat.getByRole('log').evaluate((element, described) => {
    const dataTransfer = new DataTransfer();
    for (const { name, size } of described) dataTransfer.items.add(new File([new Uint8Array(size)], name));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    element.dispatchEvent(new DragEvent('dragover', options));
    element.dispatchEvent(new DragEvent('drop', options));
  }, files);

async function sendAll(page: Page, count: number, words = ''): Promise<void> {
  const sheet = preview(page);
  if (words) await sheet.getByLabel(say('chat:attach.words')).fill(words);
  await sheet.getByRole('button', { name: say('chat:attach.send_other', { count }) }).click();
  await expect(sheet).toHaveCount(0);
}

const state = (chat: Locator, name: 'sending' | 'failed' | 'succeed'): Locator =>
  chat.getByText(say(`chat:state.${name}`), { exact: true });

/** The calls that a page makes of one path from here on, each held until it is let go. */
async function hold(page: Page, path: string): Promise<{ count: () => number; release: () => void }> {
  let count = 0;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    count += 1;
    await promise;
    await route.continue();
  });
  return { count: () => count, release };
}

test.describe('attachments of the chat', () => {
  test.beforeEach(({ memberPage }) => acceptAgreement(memberPage));

  test('a picture and a video are looked at, sent one after another with words, and stand in the conversation [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, say);
    const uploads = await hold(memberPage, '**/api/chat/upload-*');
    const messages = await hold(memberPage, '**/api/chat/send-message');
    await choose(memberPage, chat, await png(), await film());
    await expect(preview(memberPage).getByRole('img', { name: say('chat:media.picture') })).toBeVisible();
    await expect(preview(memberPage).getByText('FILM.MP4')).toBeVisible();
    await sendAll(memberPage, 2, 'โอนแล้วค่ะ');
    await expect(chat.getByRole('progressbar', { name: say('chat:attach.progress') })).toHaveCount(2);
    await expect.poll(uploads.count).toBe(1);
    await expect(chat.getByText(say('chat:state.uploading_file', { percent: 0 })).first()).toBeVisible();
    uploads.release();
    await expect.poll(messages.count, UPLOAD).toBe(1);
    await expect(state(chat, 'sending').first()).toBeVisible();
    messages.release();
    await expect(chat.getByRole('progressbar')).toHaveCount(0, UPLOAD);
    await expect(chat.getByText('โอนแล้วค่ะ')).toBeVisible();
    await expect
      .poll(() => written(member))
      .toMatchObject([
        { message_type: 'media', payload: { message: '', fileType: 'image' } },
        { message_type: 'media', payload: { message: 'โอนแล้วค่ะ', fileType: 'video' } },
      ]);
    // What others see of it comes from the server.
    const again = await openChat(memberPage, say);
    const image = again.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    await expect
      .poll(() => again.locator('video').evaluate((element: HTMLVideoElement) => element.readyState))
      .toBeGreaterThan(0);
  });

  test('a picture whose bytes are of another type than its name says is sent all the same [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, say);
    const picture = (type: string) =>
      memberPage.evaluate((of) => document.createElement('canvas').toDataURL(of).split(',')[1] ?? '', type);
    // A WebP by a browser's "save as", an SVG as one that this browser alone reads.
    const webp = Buffer.from(await picture('image/webp'), 'base64');
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M0 0h9v9"/></svg>',
    );
    expect(webp.subarray(8, 12).toString()).toBe('WEBP');
    await choose(
      memberPage,
      chat,
      { name: 'SAVED.JPG', mimeType: 'image/jpeg', buffer: webp },
      { name: 'drawn.png', mimeType: 'image/svg+xml', buffer: svg },
    );
    await sendAll(memberPage, 2);
    await expect
      .poll(() => written(member), UPLOAD)
      .toMatchObject([{ payload: { fileType: 'image' } }, { payload: { fileType: 'image' } }]);
  });

  test('a file without an extension, of another type or too large is refused with its sentence, which goes after four seconds [R-CHAT-04]', async ({
    memberPage,
  }) => {
    await memberPage.clock.install();
    const chat = await openChat(memberPage, say);
    await memberPage.clock.pauseAt(Date.now() + 10_000);
    const alert = chat.getByRole('alert');
    const buffer = await readFile(ICON);
    for (const name of ['slip', 'slip.pdf', 'png']) {
      await choose(memberPage, chat, { name, mimeType: 'image/png', buffer });
      await expect(alert).toHaveText(say('chat:attach.notSupported'));
      await memberPage.clock.runFor(3_900);
      await expect(alert).not.toBeEmpty();
      await memberPage.clock.runFor(200);
      await expect(alert).toBeEmpty();
    }
    // Made in the page: there are too many bytes of them to bring.
    await drop(chat, { name: 'a.JPG', size: 10 * MEGABYTE + 1 });
    await expect(alert).toHaveText(say('chat:attach.tooLarge', { n: 10 }));
    await drop(chat, { name: 'a.mp4', size: 20 * MEGABYTE + 1 });
    await expect(alert).toHaveText(say('chat:attach.tooLarge', { n: 20 }));
    await expect(preview(memberPage)).toHaveCount(0);
    // Just as large as may be.
    for (const [name, size] of [
      ['b.jpg', 10 * MEGABYTE],
      ['b.mp4', 20 * MEGABYTE],
    ] as const) {
      await drop(chat, { name, size });
      await expect(preview(memberPage).getByText(name)).toBeVisible();
      await memberPage.keyboard.press('Escape');
      await expect(preview(memberPage)).toHaveCount(0);
    }
    expect(english('chat:attach.notSupported')).toBe(
      'File is not supported. Accepted types: mp4, quicktime, png, jpeg, jpg, gif',
    );
    expect(english('chat:attach.tooLarge', { n: 10 })).toBe(
      'The file is too large. Please select file no larger than 10 MB.',
    );
  });
});

test.describe('attachments that fail', () => {
  test.beforeEach(({ memberPage }) => acceptAgreement(memberPage));

  test('the bar of an upload moves with the sent bytes, and states the same as text [R-CHAT-04]', async ({
    memberPage,
  }) => {
    const chat = await openChat(memberPage, say);
    const line = await memberPage.context().newCDPSession(memberPage);
    await line.send('Network.enable');
    await line.send('Network.emulateNetworkConditions', SLOW_UPLOAD);
    await choose(memberPage, chat, { ...(await png()), buffer: Buffer.alloc(MEGABYTE) });
    await sendAll(memberPage, 1);
    const bar = chat.getByRole('progressbar', { name: say('chat:attach.progress') });
    const seen = async (): Promise<number> => Number(await bar.getAttribute('aria-valuenow'));
    const first = await expect.poll(seen).toBeGreaterThan(0).then(seen);
    await expect.poll(seen).toBeGreaterThan(first);
    const half = await seen();
    expect(half).toBeLessThan(100);
    const scale = await bar.locator('div').evaluate((element) => new DOMMatrix(element.style.transform).a);
    expect(scale).toBeGreaterThanOrEqual(half / 100);
    await expect(chat.getByText(/\d+%/)).not.toHaveText(say('chat:state.uploading_file', { percent: 0 }));
    await line.detach();
  });

  test('an upload that failed can be sent again, and one whose file is there already goes up only once [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, say);
    let uploads = 0;
    // Refused, so that it is not sent again automatically.
    await memberPage.route('**/api/chat/upload-image', (route) => {
      uploads += 1;
      return uploads === 1 ? route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } }) : route.continue();
    });
    const keys: (string | undefined)[] = [];
    await memberPage.route('**/api/chat/send-message', (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      return keys.length === 1
        ? route.fulfill({ status: 429, json: { message: 'REQUEST_LIMIT_1MIN' } })
        : route.continue();
    });
    await choose(memberPage, chat, await png());
    await sendAll(memberPage, 1);
    await expect(state(chat, 'failed')).toBeVisible();
    expect(keys).toEqual([]);
    await chat.getByRole('button', { name: say('chat:resend') }).click();
    await expect.poll(() => keys.length, UPLOAD).toBe(1);
    await expect(state(chat, 'failed')).toBeVisible();
    expect(uploads).toBe(2);
    await chat.getByRole('button', { name: say('chat:resend') }).click();
    await expect(state(chat, 'succeed')).toBeVisible();
    expect(uploads).toBe(2);
    expect(new Set(keys).size).toBe(1);
    await expect.poll(() => written(member).then((all) => all.length)).toBe(1);
  });

  test('one that the server finds to be no picture is said to be none and can be removed, and one that is going up can be stopped [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, say);
    // Only its name says that it is a picture.
    await choose(memberPage, chat, { name: 'slip.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await sendAll(memberPage, 1);
    await expect(chat.getByRole('alert')).toHaveText(say('chat:attach.notSupported'));
    await expect(state(chat, 'failed')).toBeVisible();
    await chat.getByRole('button', { name: say('chat:remove') }).click();
    await expect(state(chat, 'failed')).toHaveCount(0);
    const uploads = await hold(memberPage, '**/api/chat/upload-image');
    await choose(memberPage, chat, await png());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    await chat.getByRole('button', { name: say('chat:attach.cancel') }).click();
    await expect(chat.locator('img')).toHaveCount(0);
    uploads.release();
    await writeIn(chat, say, 'ไม่ส่งแล้วค่ะ');
    expect(await written(member)).toEqual([{ message_type: 'text', payload: { text: 'ไม่ส่งแล้วค่ะ' } }]);
  });

  test('a phone that is turned while a picture is previewed keeps the picture and its words', async ({
    memberPage,
  }) => {
    const chat = await openChat(memberPage, say);
    await choose(memberPage, chat, await png());
    const words = preview(memberPage).getByLabel(say('chat:attach.words'));
    await words.fill('ใบนี้');
    await memberPage.setViewportSize({ width: 844, height: 390 });
    await expect(words).toHaveValue('ใบนี้');
    await memberPage.setViewportSize({ width: 390, height: 844 });
    await expect(words).toHaveValue('ใบนี้');
    await memberPage.keyboard.press('Escape');
    await expect(preview(memberPage)).toHaveCount(0);
    await expect(chat).toBeVisible();
  });
});

test.describe('attachments in other ways', () => {
  test.beforeEach(({ memberPage }) => acceptAgreement(memberPage));

  test('a picture is pasted into the message, and files are dropped on the window [R-CHAT-04]', async ({
    memberPage,
  }) => {
    const chat = await openChat(memberPage, say);
    const field = chat.getByRole('textbox', { name: say('chat:message') });
    const bytes = [...(await readFile(ICON))];
    await field.evaluate((element, content) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([new Uint8Array(content)], 'image.png', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, bytes);
    await expect(preview(memberPage).getByText('image.png')).toBeVisible();
    await memberPage.keyboard.press('Escape');
    await expect(preview(memberPage)).toHaveCount(0);
    await expect(chat).toBeVisible();
    await drop(chat, { name: 'a.png', size: 9 }, { name: 'b.png', size: 9 });
    await expect(preview(memberPage).getByText('a.png')).toBeVisible();
    await preview(memberPage)
      .getByRole('button', { name: say('chat:attach.leave', { name: 'a.png' }) })
      .click();
    await expect(preview(memberPage).getByRole('listitem')).toHaveCount(1);
    await memberPage.keyboard.press('Escape');
    for (const extension of ['jpg', 'jpeg', 'gif', 'mov', 'mp4', 'quicktime']) {
      await drop(chat, { name: `c.${extension}`, size: 9 });
      await expect(preview(memberPage).getByText(`c.${extension}`)).toBeVisible();
      await memberPage.keyboard.press('Escape');
      await expect(preview(memberPage)).toHaveCount(0);
    }
    await expect(chat.getByRole('alert')).toBeEmpty();
  });

  test('an upload may take five minutes, and is given up then [R-NET-02]', async ({ memberPage }) => {
    const chat = await openChat(memberPage, say);
    const uploads = await hold(memberPage, '**/api/chat/upload-image');
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await choose(memberPage, chat, await png());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    await memberPage.clock.fastForward(299_000);
    await expect(chat.getByRole('progressbar')).toHaveCount(1);
    await memberPage.clock.fastForward(2_000);
    await expect(state(chat, 'failed')).toBeVisible();
    await expect(chat.getByRole('progressbar')).toHaveCount(0);
  });

  test('leaving the page during an upload asks first, and another page of the app continues it [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, say);
    const uploads = await hold(memberPage, '**/api/chat/upload-image');
    await choose(memberPage, chat, await png());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    const asked = memberPage.waitForEvent('dialog');
    const leaving = memberPage.evaluate(() => location.reload());
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leaving;
    await expect(chat).toBeVisible();
    await chat.getByRole('button', { name: say('common:close') }).click();
    await memberPage.locator('a[href="/user/statement"]').first().click();
    await expect(memberPage).toHaveURL(/statement/);
    uploads.release();
    await expect.poll(() => written(member).then((all) => all.length), UPLOAD).toBe(1);
  });
});
