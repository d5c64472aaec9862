import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { depositSheet, openDepositMethod } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { memberAsPayer } from '../../support/money.ts';
import { simulatorsUrl, transferToBank } from '../../support/simulators.ts';
import { slowDownNetwork } from '../../support/slow-network.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, depositMethodButtons } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const GSB_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };
const SLIP_SETTINGS = { closedFrom: '23:30', closedTo: '00:30', expireMinutes: 60, maxMB: 10 };
/** The server's reply to a slip. */
const RECEIVED_SLIP = {
  slip: {
    _id: '1',
    createdAt: '2026-01-31T16:00:00.000Z',
    amount: null,
    status: 'PROCESSING',
    note: null,
    underReview: false,
    link: null,
    reference: 'S0',
  },
};
const SLIP_TITLE = translate('deposit:slip');
/** File signatures, as characters. */
const [PNG_HEAD, JPEG_HEAD] = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff'];
const ICON_URL = new URL('../../../web/public/icons/icon-512.png', import.meta.url);

/** The slip image of a transfer that a member has just made. */
async function createSlip(member: Member, amount: number): Promise<Buffer> {
  const { slipUrl } = await transferToBank(memberAsPayer(member), GSB_ACCOUNT, amount);
  const slipImage = await fetch(new URL(slipUrl, simulatorsUrl()));
  return Buffer.from(await slipImage.arrayBuffer());
}

/** Selects an image with the button, as from a phone's gallery. */
async function chooseFile(
  page: Page,
  sheet: Locator,
  buffer: Buffer,
  mimeType = 'image/png',
  name = 'slip.png',
): Promise<void> {
  const fileChooser = page.waitForEvent('filechooser');
  await buttonByName(sheet, translate('deposit:slipChoose')).click();
  await (await fileChooser).setFiles({ name, mimeType, buffer });
}

/** Sets the time in the page: within the slip hours or outside them. */
const setSlipHours = (page: Page, isOpen: boolean): Promise<unknown> =>
  page.route('**/api/lookup/slip', (route) => route.fulfill({ json: { ...SLIP_SETTINGS, isOpen } }));

test.describe('deposit with a slip', () => {
  test('a slip is selected, previewed, sent with progress, and listed; the next deposit starts a new one [R-SLIP-01]', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    const slip = await createSlip(member, 87.5);
    await chooseFile(memberPage, sheet, slip);
    const previewImage = sheet.getByRole('img', { name: translate('deposit:slipPreview') });
    await expect.poll(() => previewImage.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const { promise: uploadReleased, resolve: releaseUpload } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/slip', async (route) => {
      await uploadReleased;
      await route.continue();
    });
    const slipRequest = memberPage.waitForRequest('**/api/wallet/slip');
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    await expect(sheet.getByRole('progressbar', { name: translate('deposit:slipProgress') })).toBeVisible();
    releaseUpload();
    const headers = await (await slipRequest).allHeaders();
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(headers['authorization']).toBe(`Bearer ${member.token}`);
    expect(headers['x-requested-with']).toBe('XMLHttpRequest');
    // Shows either the received slip or the credited money, whichever comes first.
    const shownStatus = sheet
      .getByText(translate('deposit:slipSent'), { exact: true })
      .or(sheet.getByText(translate('deposit:arrived'), { exact: true }))
      .first();
    await expect(shownStatus).toBeVisible({ timeout: 30_000 });
    const { body } = await api<{ slips: { _id: string }[] }>('POST', '/api/statement/slip', {
      token: member.token,
      body: {},
    });
    expect(body.slips).toHaveLength(1);
    // Another deposit begins without the outcome of this one.
    await expect(sheet.getByText(translate('deposit:arrived'), { exact: true })).toBeVisible({ timeout: 30_000 });
    await buttonByName(sheet, translate('deposit:again')).click();
    await expect(buttonByName(sheet, translate('deposit:slipChoose'))).toBeVisible();
    await expect(sheet.locator('[data-outcome]')).toHaveCount(0);
    await memberPage.goto('/user/statement#slips');
    await expect(memberPage.getByRole('dialog').getByRole('row')).toHaveCount(2);
  });

  test('the progress of a slip upload follows the sent bytes on a slow connection [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await setSlipHours(memberPage, true);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    const largeImage = Buffer.from(await memberPage.evaluate(drawNoise, { side: 1_500 }), 'base64');
    expect(largeImage.length).toBeGreaterThan(300_000);
    await chooseFile(memberPage, sheet, largeImage);
    await slowDownNetwork(memberPage);
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    const progressBar = sheet.getByRole('progressbar', { name: translate('deposit:slipProgress') });
    const shownPercents = new Set<number>();
    // Reads the percentage of the progress bar while the bar exists.
    const readPercent = async (): Promise<number> => {
      const [now] = await progressBar.evaluateAll((bars) =>
        bars.map((bar) => Number(bar.getAttribute('aria-valuenow'))),
      );
      if (now !== undefined) shownPercents.add(now);
      return [...shownPercents].filter((percent) => percent > 0 && percent < 100).length;
    };
    await expect.poll(readPercent, { intervals: [100], timeout: 30_000 }).toBeGreaterThan(1);
    const percentList = [...shownPercents];
    expect(percentList).toEqual(percentList.toSorted((a, b) => a - b));
    await expect(progressBar).toHaveCount(0, { timeout: 60_000 });
  });

  test('a failed slip loses its check mark and shows the reason, and a slip under manual review says so [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await setSlipHours(memberPage, true);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    await chooseFile(memberPage, sheet, await readFile(ICON_URL));
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    const outcome = sheet.locator('[data-outcome]');
    await expect(outcome).toHaveAttribute('data-outcome', 'failed', { timeout: 60_000 });
    await expect(outcome).toContainText(translate('deposit:slipFailed'));
    await expect(outcome).toContainText(translate('statement:slips.reason.CANNOT_READ_CROPPED_IMAGE'));
    const [another, seeSlips] = [translate('deposit:slipAnother'), translate('deposit:seeSlips')];
    const actions = sheet.getByRole('button', { name: new RegExp(`^(${another}|${seeSlips})$`) });
    await expect(actions).toHaveText([another, seeSlips]);

    await memberPage.route('**/api/statement/slip', async (route) => {
      const response = await route.fetch();
      const slipsReply = (await response.json()) as { slips: object[] };
      for (const slip of slipsReply.slips) Object.assign(slip, { status: 'PROCESSING', note: null, underReview: true });
      await route.fulfill({ response, json: slipsReply });
    });
    await buttonByName(sheet, translate('deposit:slipAnother')).click();
    await chooseFile(memberPage, sheet, await readFile(ICON_URL));
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    await expect(outcome).toHaveAttribute('data-outcome', 'review', { timeout: 60_000 });
    await buttonByName(sheet, translate('deposit:seeSlips')).click();
    await expect(
      memberPage.getByRole('dialog').getByText(translate('statement:slips.underReview')).first(),
    ).toBeVisible();
  });

  test('outside the hours of slip deposits the form shows the hours before an attempt [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await setSlipHours(memberPage, false);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    await expect(sheet.getByText(translate('deposit:closedNow', { from: '23:30', to: '00:30' }))).toBeVisible();
    for (const name of ['deposit:slipChoose', 'deposit:slipTake'])
      await expect(buttonByName(sheet, translate(name))).toBeDisabled();
  });
});

test.describe('choosing a slip', () => {
  test('a picture is recognised by its bytes, not by name or type; one that only the browser can read is sent as JPEG [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await setSlipHours(memberPage, true);
    const sentFiles: Buffer[] = [];
    await memberPage.route('**/api/wallet/slip', (route) => {
      sentFiles.push(route.request().postDataBuffer() ?? Buffer.alloc(0));
      return route.fulfill({ json: RECEIVED_SLIP });
    });
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    const pngImage = await readFile(ICON_URL);
    const webpImage = Buffer.from(await memberPage.evaluate(drawNoise, { side: 60, type: 'image/webp' }), 'base64');
    for (const [buffer, mimeType, name, expectedHead] of [
      [pngImage, '', 'slip', PNG_HEAD],
      [pngImage, 'image/jpg', 'slip.jpg', PNG_HEAD],
      [pngImage, 'application/octet-stream', 'SLIP.PNG', PNG_HEAD],
      [webpImage, 'application/octet-stream', 'slip.jpg', 'RIFF'],
      [onePixelBitmap(), 'image/bmp', 'slip.bmp', JPEG_HEAD],
      [squarePng(8_100), 'image/png', 'photo.png', JPEG_HEAD],
    ] as const) {
      await chooseFile(memberPage, sheet, buffer, mimeType, name);
      const previewImage = sheet.getByRole('img', { name: translate('deposit:slipPreview') });
      await expect
        .poll(() => previewImage.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(0);
      await buttonByName(sheet, translate('deposit:slipSend')).click();
      await buttonByName(sheet, translate('deposit:slipAnother')).click();
      expect(sentFiles.at(-1)?.toString('latin1')).toContain(`\r\n\r\n${expectedHead}`);
    }
    for (const unreadableFile of [
      Buffer.alloc(0),
      Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
      Buffer.from('%PDF-1.7'),
    ]) {
      await chooseFile(memberPage, sheet, unreadableFile, 'image/jpeg', 'slip.jpg');
      await expect(sheet.getByRole('alert')).toHaveText(translate('errors:errorMsg.SLIP_INVALID_FILE'));
    }
    expect(sentFiles).toHaveLength(6);
  });
});

test.describe('sending a slip', () => {
  test('a file that is not a picture is refused before sending; after an error the same picture can be sent again [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await setSlipHours(memberPage, true);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    await chooseFile(memberPage, sheet, Buffer.from('no picture'), 'application/pdf');
    await expect(sheet.getByRole('alert')).toHaveText(translate('errors:errorMsg.SLIP_INVALID_FILE'));
    await chooseFile(memberPage, sheet, await readFile(ICON_URL));
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await memberPage.route('**/api/wallet/slip', (route) =>
      route.fulfill({ status: 503, json: { message: 'SLIP_UPLOAD_FAIL' } }),
    );
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    await expect(sheet.getByRole('alert')).toHaveText(translate('errors:errorMsg.SLIP_UPLOAD_FAIL'));
    await expect(sheet.getByRole('img', { name: translate('deposit:slipPreview') })).toBeVisible();
    await memberPage.unroute('**/api/wallet/slip');
    await memberPage.route('**/api/wallet/slip', (route) => route.fulfill({ json: RECEIVED_SLIP }));
    await buttonByName(sheet, translate('deposit:slipSendAgain')).click();
    await expect(sheet.getByText(translate('deposit:slipSent'))).toBeVisible();
    await expect(sheet.locator('[data-outcome=received]')).toContainText(`${translate('money:fee')} ฿0`);
    await buttonByName(sheet, translate('deposit:seeSlips')).click();
    await expect(memberPage).toHaveURL(/\/user\/statement/);
  });

  test('an upload of a slip can be cancelled without an error, and the picture stays', async ({ memberPage }) => {
    await setSlipHours(memberPage, true);
    await memberPage.route('**/api/wallet/slip', () => undefined);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    await chooseFile(memberPage, sheet, await readFile(ICON_URL));
    const failedRequest = memberPage.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/api/wallet/slip'),
    );
    const slipRequest = memberPage.waitForRequest('**/api/wallet/slip');
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    await slipRequest;
    await buttonByName(sheet, translate('deposit:slipCancel')).click();
    await failedRequest;
    await expect(sheet.getByRole('progressbar')).toHaveCount(0);
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await expect(buttonByName(sheet, translate('deposit:slipSend'))).toBeEnabled();
  });

  test('an upload of a slip times out after five minutes [R-NET-02]', async ({ memberPage }) => {
    await setSlipHours(memberPage, true);
    await memberPage.route('**/api/wallet/slip', () => undefined);
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    await chooseFile(memberPage, sheet, await readFile(ICON_URL));
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    const slipRequest = memberPage.waitForRequest('**/api/wallet/slip');
    await buttonByName(sheet, translate('deposit:slipSend')).click();
    await slipRequest;
    await memberPage.clock.fastForward(299_000);
    await expect(sheet.getByRole('progressbar')).toBeVisible();
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    await expect(sheet.getByRole('alert')).toHaveText(translate('errors:timeout.member'));
    await expect(buttonByName(sheet, translate('deposit:slipSendAgain'))).toBeEnabled();
  });

  test('a picture over the size limit is scaled down, a smaller one is sent unchanged [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await memberPage.route('**/api/lookup/slip', (route) =>
      route.fulfill({ json: { ...SLIP_SETTINGS, maxMB: 1, isOpen: true } }),
    );
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'slip', SLIP_TITLE);
    const sentSizes: number[] = [];
    await memberPage.route('**/api/wallet/slip', (route) => {
      sentSizes.push(route.request().postDataBuffer()?.length ?? 0);
      return route.fulfill({ json: RECEIVED_SLIP });
    });
    const smallImage = await readFile(ICON_URL);
    const largeImage = await memberPage.evaluate(drawNoise, { side: 3_000 });
    for (const image of [smallImage, Buffer.from(largeImage, 'base64')]) {
      await chooseFile(memberPage, sheet, image);
      await buttonByName(sheet, translate('deposit:slipSend')).click();
      await buttonByName(sheet, translate('deposit:slipAnother')).click();
    }
    const [first = 0, second = 0] = sentSizes;
    expect(first).toBeGreaterThan(smallImage.length);
    expect(first).toBeLessThan(smallImage.length + 1_000);
    expect(Buffer.from(largeImage, 'base64').length).toBeGreaterThan(1024 * 1024);
    expect(second).toBeGreaterThan(10_000);
    expect(second).toBeLessThan(1024 * 1024 + 1_000);
  });

  test('the list of methods offers slips only where the operator accepts them [R-DEP-01]', async ({ memberPage }) => {
    await memberPage.route('**/api/lookup/deposit', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), isManual: false } });
    });
    await openHome(memberPage);
    const sheet = await openDepositMethod(memberPage, 'bank', 'ธนาคารออมสิน');
    await expect(sheet).toContainText(translate('deposit:slipByContact'));
    await sheet.getByRole('button', { name: translate('deposit:otherWays') }).click();
    await expect(depositMethodButtons(depositSheet(memberPage), translate, 'slip')).toHaveCount(0);
  });
});

/** A one-pixel bitmap. */
function onePixelBitmap(): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write('BM');
  for (const [dimensionIndex, value] of [
    [2, 58],
    [10, 54],
    [14, 40],
    [18, 1],
    [22, 1],
  ] as const)
    bytes.writeUInt32LE(value, dimensionIndex);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** A PNG with many pixels in few bytes, one bit per pixel. */
function squarePng(sidePx: number): Buffer {
  const pngHeader = Buffer.alloc(13);
  pngHeader.writeUInt32BE(sidePx, 0);
  pngHeader.writeUInt32BE(sidePx, 4);
  pngHeader.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(sidePx * (1 + Math.ceil(sidePx / 8))));
  return Buffer.concat([
    Buffer.from(PNG_HEAD, 'latin1'),
    pngChunk('IHDR', pngHeader),
    pngChunk('IDAT', rows),
    pngChunk('IEND'),
  ]);
}

function pngChunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** A square image that compresses badly. Runs in the page. @returns base64 */
const drawNoise = ({ side, type = 'image/png' }: { side: number; type?: string }): string => {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  for (let x = 0; x < side; x += 6)
    for (let y = 0; y < side; y += 6) {
      context.fillStyle = `hsl(${(x * y) % 360} 80% ${(x ^ y) % 100}%)`;
      context.fillRect(x, y, 6, 6);
    }
  return canvas.toDataURL(type).split(',')[1] ?? '';
};
