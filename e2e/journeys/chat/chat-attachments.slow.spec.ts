import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { openChat, sendInChatWindow, readMemberMessages } from '../../support/chat.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');
const translateToEnglish = translatorFor('en');
const MEGABYTE_BYTES = 1024 * 1024;
/** The server re-encodes an image before accepting it, which may take half a minute. */
const UPLOAD_TIMEOUT = { timeout: 30_000 };
/** At this rate a megabyte takes ten seconds. */
const SLOW_UPLOAD_NETWORK = {
  offline: false,
  latency: 0,
  downloadThroughput: -1,
  uploadThroughput: MEGABYTE_BYTES / 10,
};
const ICON_URL = new URL('../../../web/public/icons/icon-192.png', import.meta.url);
const FILM_URL = new URL('../../support/sample.mp4', import.meta.url);

type ChosenFile = { name: string; mimeType: string; buffer: Buffer };
const pngFile = async (name = 'slip.png'): Promise<ChosenFile> => ({
  name,
  mimeType: 'image/png',
  buffer: await readFile(ICON_URL),
});
const filmFile = async (): Promise<ChosenFile> => ({
  name: 'FILM.MP4',
  mimeType: 'video/mp4',
  buffer: await readFile(FILM_URL),
});

const previewDialog = (page: Page): Locator => page.getByRole('dialog', { name: translate('chat:attach.title') });

/** Selects files with the composer's button. */
async function chooseFiles(page: Page, chat: Locator, ...files: ChosenFile[]): Promise<void> {
  const fileChooser = page.waitForEvent('filechooser');
  await chat.getByRole('button', { name: translate('chat:attach.button') }).click();
  await (await fileChooser).setFiles(files);
}

const FILE_HEADS = {
  png: '\x89PNG\r\n\x1a\n',
  jpg: '\xff\xd8\xff\xe0',
  gif: 'GIF89a',
  video: '\0\0\0\x18ftypmp42',
} as const;

/** Lets files of these sizes go over the window; all but their first bytes are zero. */
const dropFiles = (
  chat: Locator,
  ...files: { name: string; type: keyof typeof FILE_HEADS; size: number }[]
): Promise<void> =>
  chat.getByRole('log').evaluate(
    (element, droppedFiles) => {
      const dataTransfer = new DataTransfer();
      for (const { name, head, size } of droppedFiles) {
        const bytes = new Uint8Array(size);
        bytes.set(Array.from(head, (character) => character.charCodeAt(0)));
        dataTransfer.items.add(new File([bytes], name));
      }
      const options = { dataTransfer, bubbles: true, cancelable: true };
      element.dispatchEvent(new DragEvent('dragover', options));
      element.dispatchEvent(new DragEvent('drop', options));
    },
    files.map(({ type, ...file }) => ({ ...file, head: FILE_HEADS[type] })),
  );

async function sendAll(page: Page, count: number, messageText = ''): Promise<void> {
  const sheet = previewDialog(page);
  if (messageText) await sheet.getByLabel(translate('chat:attach.words')).fill(messageText);
  await sheet.getByRole('button', { name: translate('chat:attach.send_other', { count }) }).click();
  await expect(sheet).toHaveCount(0);
}

const messageWithState = (chat: Locator, name: 'sending' | 'failed' | 'succeed'): Locator =>
  chat.getByText(translate(`chat:state.${name}`), { exact: true });

/** Holds every call to a path until it is released. */
async function holdUploads(page: Page, path: string): Promise<{ count: () => number; release: () => void }> {
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

  test('a picture and a video are previewed, sent one after another with text, and appear in the conversation [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, translate);
    const uploads = await holdUploads(memberPage, '**/api/chat/upload-*');
    const messages = await holdUploads(memberPage, '**/api/chat/send-message');
    await chooseFiles(memberPage, chat, await pngFile(), await filmFile());
    await expect(previewDialog(memberPage).getByRole('img', { name: translate('chat:media.picture') })).toBeVisible();
    await expect(previewDialog(memberPage).getByText('FILM.MP4')).toBeVisible();
    await sendAll(memberPage, 2, 'โอนแล้วค่ะ');
    await expect(chat.getByRole('progressbar', { name: translate('chat:attach.progress') })).toHaveCount(2);
    await expect.poll(uploads.count).toBe(1);
    await expect(chat.getByText(translate('chat:state.uploading_file', { percent: 0 })).first()).toBeVisible();
    uploads.release();
    await expect.poll(messages.count, UPLOAD_TIMEOUT).toBe(1);
    await expect(messageWithState(chat, 'sending').first()).toBeVisible();
    messages.release();
    await expect(chat.getByRole('progressbar')).toHaveCount(0, UPLOAD_TIMEOUT);
    await expect(chat.getByText('โอนแล้วค่ะ')).toBeVisible();
    await expect
      .poll(() => readMemberMessages(member))
      .toMatchObject([
        { message_type: 'media', payload: { message: '', fileType: 'image' } },
        { message_type: 'media', payload: { message: 'โอนแล้วค่ะ', fileType: 'video' } },
      ]);
    // The displayed file comes from the server, as for the other side of the chat.
    const chatWindow = await openChat(memberPage, translate);
    const image = chatWindow.locator('img');
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
    await expect
      .poll(() => chatWindow.locator('video').evaluate((element: HTMLVideoElement) => element.readyState))
      .toBeGreaterThan(0);
  });

  test('a picture whose type differs from its file extension is sent [R-CHAT-04]', async ({ memberPage, member }) => {
    const chat = await openChat(memberPage, translate);
    const drawImage = (type: string) =>
      memberPage.evaluate((mimeType) => document.createElement('canvas').toDataURL(mimeType).split(',')[1] ?? '', type);
    // A WebP as saved by a browser, and an SVG, which only the browser can decode.
    const webpImage = Buffer.from(await drawImage('image/webp'), 'base64');
    const svgImage = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M0 0h9v9"/></svg>',
    );
    expect(webpImage.subarray(8, 12).toString()).toBe('WEBP');
    await chooseFiles(
      memberPage,
      chat,
      { name: 'SAVED.JPG', mimeType: 'image/jpeg', buffer: webpImage },
      { name: 'drawn.png', mimeType: 'image/svg+xml', buffer: svgImage },
    );
    await sendAll(memberPage, 2);
    await expect
      .poll(() => readMemberMessages(member), UPLOAD_TIMEOUT)
      .toMatchObject([{ payload: { fileType: 'image' } }, { payload: { fileType: 'image' } }]);
  });

  test('a picture or video is sent whatever its name and declared type [R-CHAT-04]', async ({ memberPage, member }) => {
    const chat = await openChat(memberPage, translate);
    const { buffer } = await pngFile();
    const film = await filmFile();
    await chooseFiles(
      memberPage,
      chat,
      { name: '1000012345', mimeType: 'application/octet-stream', buffer },
      { name: 'photo.jfif', mimeType: '', buffer },
      { name: 'sticker.webp', mimeType: 'image/webp', buffer },
      { name: 'document.pdf', mimeType: 'application/pdf', buffer: film.buffer },
    );
    await expect(previewDialog(memberPage).getByRole('listitem')).toHaveCount(4);
    await sendAll(memberPage, 4);
    await expect
      .poll(() => readMemberMessages(member), UPLOAD_TIMEOUT)
      .toMatchObject(['image', 'image', 'image', 'video'].map((fileType) => ({ payload: { fileType } })));
  });

  test('a file of another type, empty or too large is refused with a reason, which disappears after four seconds [R-CHAT-04]', async ({
    memberPage,
  }) => {
    await memberPage.clock.install();
    const chat = await openChat(memberPage, translate);
    await memberPage.clock.pauseAt(Date.now() + 10_000);
    const alertMessage = chat.getByRole('alert');
    for (const [name, content] of [
      ['slip.png', '%PDF-1.7'],
      ['film.mp4', '\0\0\0\x18ftypM4A '],
      ['slip.jpg', ''],
    ] as const) {
      await chooseFiles(memberPage, chat, { name, mimeType: 'image/png', buffer: Buffer.from(content) });
      await expect(alertMessage).toHaveText(translate('chat:attach.notSupported'));
      await memberPage.clock.runFor(3_900);
      await expect(alertMessage).not.toBeEmpty();
      await memberPage.clock.runFor(200);
      await expect(alertMessage).toBeEmpty();
    }
    // Created in the page, because transferring so many bytes to the page is slow.
    await dropFiles(chat, { name: 'a.JPG', type: 'jpg', size: 10 * MEGABYTE_BYTES + 1 });
    await expect(alertMessage).toHaveText(translate('chat:attach.tooLarge', { n: 10 }));
    await dropFiles(chat, { name: 'a.mp4', type: 'video', size: 20 * MEGABYTE_BYTES + 1 });
    await expect(alertMessage).toHaveText(translate('chat:attach.tooLarge', { n: 20 }));
    await expect(previewDialog(memberPage)).toHaveCount(0);
    // Exactly the maximum size.
    for (const [name, type, size] of [
      ['b.jpg', 'jpg', 10 * MEGABYTE_BYTES],
      ['b.mp4', 'video', 20 * MEGABYTE_BYTES],
    ] as const) {
      await dropFiles(chat, { name, type, size });
      await expect(previewDialog(memberPage).getByText(name)).toBeVisible();
      await memberPage.keyboard.press('Escape');
      await expect(previewDialog(memberPage)).toHaveCount(0);
    }
    expect(translateToEnglish('chat:attach.notSupported')).toBe(
      'File is not supported. Accepted types: mp4, quicktime, png, jpeg, jpg, gif',
    );
    expect(translateToEnglish('chat:attach.tooLarge', { n: 10 })).toBe(
      'The file is too large. Please select file no larger than 10 MB.',
    );
  });
});

test.describe('attachments that fail', () => {
  test.beforeEach(({ memberPage }) => acceptAgreement(memberPage));

  test('the progress bar of an upload follows the sent bytes, and has the same value as text [R-CHAT-04]', async ({
    memberPage,
  }) => {
    const chat = await openChat(memberPage, translate);
    const cdpSession = await memberPage.context().newCDPSession(memberPage);
    await cdpSession.send('Network.enable');
    await cdpSession.send('Network.emulateNetworkConditions', SLOW_UPLOAD_NETWORK);
    await chooseFiles(memberPage, chat, {
      ...(await pngFile()),
      buffer: Buffer.concat([Buffer.from(FILE_HEADS.png, 'latin1'), Buffer.alloc(MEGABYTE_BYTES)]),
    });
    await sendAll(memberPage, 1);
    const progressBar = chat.getByRole('progressbar', { name: translate('chat:attach.progress') });
    const readProgress = async (): Promise<number> => Number(await progressBar.getAttribute('aria-valuenow'));
    const first = await expect.poll(readProgress).toBeGreaterThan(0).then(readProgress);
    await expect.poll(readProgress).toBeGreaterThan(first);
    const progressBefore = await readProgress();
    expect(progressBefore).toBeLessThan(100);
    const barScale = await progressBar.locator('div').evaluate((element) => new DOMMatrix(element.style.transform).a);
    expect(barScale).toBeGreaterThanOrEqual(progressBefore / 100);
    await expect(chat.getByText(/\d+%/)).not.toHaveText(translate('chat:state.uploading_file', { percent: 0 }));
    await cdpSession.detach();
  });

  test('a failed upload can be sent again, and a file that the server already has is uploaded only once [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, translate);
    let uploads = 0;
    // The server refuses the upload, so that the app does not retry automatically.
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
    await chooseFiles(memberPage, chat, await pngFile());
    await sendAll(memberPage, 1);
    await expect(messageWithState(chat, 'failed')).toBeVisible();
    expect(keys).toEqual([]);
    await chat.getByRole('button', { name: translate('chat:resend') }).click();
    await expect.poll(() => keys.length, UPLOAD_TIMEOUT).toBe(1);
    await expect(messageWithState(chat, 'failed')).toBeVisible();
    expect(uploads).toBe(2);
    await chat.getByRole('button', { name: translate('chat:resend') }).click();
    await expect(messageWithState(chat, 'succeed')).toBeVisible();
    expect(uploads).toBe(2);
    expect(new Set(keys).size).toBe(1);
    await expect.poll(() => readMemberMessages(member).then((messages) => messages.length)).toBe(1);
  });

  test('a file that the server does not recognise as a picture can be removed, and a running upload can be cancelled [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, translate);
    // Only its first bytes are those of an image.
    const buffer = Buffer.from(`${FILE_HEADS.png}no picture`, 'latin1');
    await chooseFiles(memberPage, chat, { name: 'slip.png', mimeType: 'image/png', buffer });
    await sendAll(memberPage, 1);
    await expect(chat.getByRole('alert')).toHaveText(translate('chat:attach.notSupported'));
    await expect(messageWithState(chat, 'failed')).toBeVisible();
    await chat.getByRole('button', { name: translate('chat:remove') }).click();
    await expect(messageWithState(chat, 'failed')).toHaveCount(0);
    const uploads = await holdUploads(memberPage, '**/api/chat/upload-image');
    await chooseFiles(memberPage, chat, await pngFile());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    await chat.getByRole('button', { name: translate('chat:attach.cancel') }).click();
    await expect(chat.locator('img')).toHaveCount(0);
    uploads.release();
    await sendInChatWindow(chat, translate, 'ไม่ส่งแล้วค่ะ');
    expect(await readMemberMessages(member)).toEqual([{ message_type: 'text', payload: { text: 'ไม่ส่งแล้วค่ะ' } }]);
  });

  test('turning the phone during a preview keeps the picture and the typed text', async ({ memberPage }) => {
    const chat = await openChat(memberPage, translate);
    await chooseFiles(memberPage, chat, await pngFile());
    const messageField = previewDialog(memberPage).getByLabel(translate('chat:attach.words'));
    await messageField.fill('ใบนี้');
    await memberPage.setViewportSize({ width: 844, height: 390 });
    await expect(messageField).toHaveValue('ใบนี้');
    await memberPage.setViewportSize({ width: 390, height: 844 });
    await expect(messageField).toHaveValue('ใบนี้');
    await memberPage.keyboard.press('Escape');
    await expect(previewDialog(memberPage)).toHaveCount(0);
    await expect(chat).toBeVisible();
  });
});

test.describe('attachments in other ways', () => {
  test.beforeEach(({ memberPage }) => acceptAgreement(memberPage));

  test('a picture can be pasted into the message, and files dropped on the chat window [R-CHAT-04]', async ({
    memberPage,
  }) => {
    const chat = await openChat(memberPage, translate);
    const field = chat.getByRole('textbox', { name: translate('chat:message') });
    const bytes = [...(await readFile(ICON_URL))];
    await field.evaluate((element, content) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([new Uint8Array(content)], 'image.png', { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, bytes);
    await expect(previewDialog(memberPage).getByText('image.png')).toBeVisible();
    await memberPage.keyboard.press('Escape');
    await expect(previewDialog(memberPage)).toHaveCount(0);
    await expect(chat).toBeVisible();
    await dropFiles(chat, { name: 'a.png', type: 'png', size: 9 }, { name: 'b.png', type: 'png', size: 9 });
    await expect(previewDialog(memberPage).getByText('a.png')).toBeVisible();
    await previewDialog(memberPage)
      .getByRole('button', { name: translate('chat:attach.leave', { name: 'a.png' }) })
      .click();
    await expect(previewDialog(memberPage).getByRole('listitem')).toHaveCount(1);
    await memberPage.keyboard.press('Escape');
    for (const type of ['png', 'jpg', 'gif', 'video'] as const) {
      await dropFiles(chat, { name: `c-${type}`, type, size: 12 });
      await expect(previewDialog(memberPage).getByText(`c-${type}`)).toBeVisible();
      await memberPage.keyboard.press('Escape');
      await expect(previewDialog(memberPage)).toHaveCount(0);
    }
    await expect(chat.getByRole('alert')).toBeEmpty();
  });

  test('an upload times out after five minutes [R-NET-02]', async ({ memberPage }) => {
    const chat = await openChat(memberPage, translate);
    const uploads = await holdUploads(memberPage, '**/api/chat/upload-image');
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await chooseFiles(memberPage, chat, await pngFile());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    await memberPage.clock.fastForward(299_000);
    await expect(chat.getByRole('progressbar')).toHaveCount(1);
    await memberPage.clock.fastForward(2_000);
    await expect(messageWithState(chat, 'failed')).toBeVisible();
    await expect(chat.getByRole('progressbar')).toHaveCount(0);
  });

  test('leaving the site during an upload asks for confirmation; on another page of the app the upload continues [R-CHAT-04]', async ({
    memberPage,
    member,
  }) => {
    const chat = await openChat(memberPage, translate);
    const uploads = await holdUploads(memberPage, '**/api/chat/upload-image');
    await chooseFiles(memberPage, chat, await pngFile());
    await sendAll(memberPage, 1);
    await expect.poll(uploads.count).toBe(1);
    const leaveDialog = memberPage.waitForEvent('dialog');
    const leavePage = memberPage.evaluate(() => location.reload());
    const dialog = await leaveDialog;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await leavePage;
    await expect(chat).toBeVisible();
    await chat.getByRole('button', { name: translate('common:close') }).click();
    await memberPage.locator('a[href="/user/statement"]').first().click();
    await expect(memberPage).toHaveURL(/statement/);
    uploads.release();
    await expect.poll(() => readMemberMessages(member).then((messages) => messages.length), UPLOAD_TIMEOUT).toBe(1);
  });
});
