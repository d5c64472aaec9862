import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { depositSheet, openWay } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { payerOf } from '../../support/money.ts';
import { outsideUrl, transferToBank } from '../../support/outside.ts';
import { overSlowLine } from '../../support/slow-line.ts';
import { expect, test } from '../../support/test.ts';
import { button, ways } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const GSB = { bankCode: 'GSB', accountNo: '020123456789' };
const HOURS = { closedFrom: '23:30', closedTo: '00:30', expireMinutes: 60, maxMB: 10 };
/** What the server answers to a slip. */
const RECEIVED = {
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
const SLIP = say('deposit:slip');
/** First bytes of a file, as characters. */
const [PNG, JPEG] = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff'];
const ICON = new URL('../../../web/public/icons/icon-512.png', import.meta.url);

/** The picture of the slip of a transfer that a member has just made. */
async function slipOf(member: Member, amount: number): Promise<Buffer> {
  const { slipUrl } = await transferToBank(payerOf(member), GSB, amount);
  const picture = await fetch(new URL(slipUrl, outsideUrl()));
  return Buffer.from(await picture.arrayBuffer());
}

/** Chooses a picture as one does: by the button, from the phone's pictures. */
async function choose(
  page: Page,
  sheet: Locator,
  buffer: Buffer,
  mimeType = 'image/png',
  name = 'slip.png',
): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await button(sheet, say('deposit:slipChoose')).click();
  await (await choosing).setFiles({ name, mimeType, buffer });
}

/** Sets the time that the page sees: within the hours, or outside them. */
const during = (page: Page, isOpen: boolean): Promise<unknown> =>
  page.route('**/api/lookup/slip', (route) => route.fulfill({ json: { ...HOURS, isOpen } }));

test.describe('deposit with a slip', () => {
  test('a slip is chosen, seen, sent with its progress, and then stands in the upload-status list [R-SLIP-01]', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    const slip = await slipOf(member, 87.5);
    await choose(memberPage, sheet, slip);
    const preview = sheet.getByRole('img', { name: say('deposit:slipPreview') });
    await expect.poll(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/slip', async (route) => {
      await held;
      await route.continue();
    });
    const sent = memberPage.waitForRequest('**/api/wallet/slip');
    await button(sheet, say('deposit:slipSend')).click();
    await expect(sheet.getByRole('progressbar', { name: say('deposit:slipProgress') })).toBeVisible();
    release();
    const headers = await (await sent).allHeaders();
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(headers['authorization']).toBe(`Bearer ${member.token}`);
    expect(headers['x-requested-with']).toBe('XMLHttpRequest');
    // Whichever comes first: the server's word that it has it, or already the money.
    const shown = sheet
      .getByText(say('deposit:slipSent'), { exact: true })
      .or(sheet.getByText(say('deposit:arrived'), { exact: true }))
      .first();
    await expect(shown).toBeVisible({ timeout: 30_000 });
    const { body } = await api<{ slips: { _id: string }[] }>('POST', '/api/statement/slip', {
      token: member.token,
      body: {},
    });
    expect(body.slips).toHaveLength(1);
    await memberPage.goto('/user/statement#slips');
    await expect(memberPage.getByRole('dialog').getByRole('row')).toHaveCount(2);
  });

  test('the progress follows what has gone up over a slow line [R-SLIP-01]', async ({ memberPage }) => {
    await during(memberPage, true);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    const large = Buffer.from(await memberPage.evaluate(noise, { side: 1_500 }), 'base64');
    expect(large.length).toBeGreaterThan(300_000);
    await choose(memberPage, sheet, large);
    await overSlowLine(memberPage);
    await button(sheet, say('deposit:slipSend')).click();
    const progress = sheet.getByRole('progressbar', { name: say('deposit:slipProgress') });
    const percents = new Set<number>();
    // Every value that it has while it is there.
    const look = async (): Promise<number> => {
      const [now] = await progress.evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('aria-valuenow'))));
      if (now !== undefined) percents.add(now);
      return [...percents].filter((percent) => percent > 0 && percent < 100).length;
    };
    await expect.poll(look, { intervals: [100], timeout: 30_000 }).toBeGreaterThan(1);
    const grown = [...percents];
    expect(grown).toEqual(grown.toSorted((a, b) => a - b));
    await expect(progress).toHaveCount(0, { timeout: 60_000 });
  });

  test('a slip that fails loses its tick and says why, and one that people check says so [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await during(memberPage, true);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    await choose(memberPage, sheet, await readFile(ICON));
    await button(sheet, say('deposit:slipSend')).click();
    const outcome = sheet.locator('[data-outcome]');
    await expect(outcome).toHaveAttribute('data-outcome', 'failed', { timeout: 60_000 });
    await expect(outcome).toContainText(say('deposit:slipFailed'));
    await expect(outcome).toContainText(say('statement:slips.reason.CANNOT_READ_CROPPED_IMAGE'));

    await memberPage.route('**/api/statement/slip', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { slips: object[] };
      for (const slip of answer.slips) Object.assign(slip, { status: 'PROCESSING', note: null, underReview: true });
      await route.fulfill({ response, json: answer });
    });
    await button(sheet, say('deposit:slipAnother')).click();
    await choose(memberPage, sheet, await readFile(ICON));
    await button(sheet, say('deposit:slipSend')).click();
    await expect(outcome).toHaveAttribute('data-outcome', 'review', { timeout: 60_000 });
    await button(sheet, say('deposit:seeSlips')).click();
    await expect(memberPage.getByRole('dialog').getByText(say('statement:slips.underReview')).first()).toBeVisible();
  });

  test('outside the hours it is said before one tries, with the hours [R-SLIP-01]', async ({ memberPage }) => {
    await during(memberPage, false);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    await expect(sheet.getByText(say('deposit:closedNow', { from: '23:30', to: '00:30' }))).toBeVisible();
    for (const name of ['deposit:slipChoose', 'deposit:slipTake'])
      await expect(button(sheet, say(name))).toBeDisabled();
  });
});

test.describe('choosing a slip', () => {
  test('a picture is judged by its bytes, whatever its name and type: what only the browser reads goes as a JPEG [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await during(memberPage, true);
    const sent: Buffer[] = [];
    await memberPage.route('**/api/wallet/slip', (route) => {
      sent.push(route.request().postDataBuffer() ?? Buffer.alloc(0));
      return route.fulfill({ json: RECEIVED });
    });
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    const png = await readFile(ICON);
    const webp = Buffer.from(await memberPage.evaluate(noise, { side: 60, type: 'image/webp' }), 'base64');
    for (const [buffer, mimeType, name, head] of [
      [png, '', 'slip', PNG],
      [png, 'image/jpg', 'slip.jpg', PNG],
      [png, 'application/octet-stream', 'SLIP.PNG', PNG],
      [webp, 'application/octet-stream', 'slip.jpg', 'RIFF'],
      [bitmap(), 'image/bmp', 'slip.bmp', JPEG],
      [square(8_100), 'image/png', 'photo.png', JPEG],
    ] as const) {
      await choose(memberPage, sheet, buffer, mimeType, name);
      const preview = sheet.getByRole('img', { name: say('deposit:slipPreview') });
      await expect.poll(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      await button(sheet, say('deposit:slipSend')).click();
      await button(sheet, say('deposit:slipAnother')).click();
      expect(sent.at(-1)?.toString('latin1')).toContain(`\r\n\r\n${head}`);
    }
    for (const wrong of [Buffer.alloc(0), Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), Buffer.from('%PDF-1.7')]) {
      await choose(memberPage, sheet, wrong, 'image/jpeg', 'slip.jpg');
      await expect(sheet.getByRole('alert')).toHaveText(say('errors:errorMsg.SLIP_INVALID_FILE'));
    }
    expect(sent).toHaveLength(6);
  });
});

test.describe('sending a slip', () => {
  test('a file that is no picture is refused before it is sent; a failure is shown and the same picture can be sent again [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await during(memberPage, true);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    await choose(memberPage, sheet, Buffer.from('no picture'), 'application/pdf');
    await expect(sheet.getByRole('alert')).toHaveText(say('errors:errorMsg.SLIP_INVALID_FILE'));
    await choose(memberPage, sheet, await readFile(ICON));
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await memberPage.route('**/api/wallet/slip', (route) =>
      route.fulfill({ status: 503, json: { message: 'SLIP_UPLOAD_FAIL' } }),
    );
    await button(sheet, say('deposit:slipSend')).click();
    await expect(sheet.getByRole('alert')).toHaveText(say('errors:errorMsg.SLIP_UPLOAD_FAIL'));
    await expect(sheet.getByRole('img', { name: say('deposit:slipPreview') })).toBeVisible();
    await memberPage.unroute('**/api/wallet/slip');
    await memberPage.route('**/api/wallet/slip', (route) => route.fulfill({ json: RECEIVED }));
    await button(sheet, say('deposit:slipSendAgain')).click();
    await expect(sheet.getByText(say('deposit:slipSent'))).toBeVisible();
    await button(sheet, say('deposit:seeSlips')).click();
    await expect(memberPage).toHaveURL(/\/user\/statement/);
  });

  test('sending can be cancelled: no message is shown, and the picture stays', async ({ memberPage }) => {
    await during(memberPage, true);
    await memberPage.route('**/api/wallet/slip', () => undefined);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    await choose(memberPage, sheet, await readFile(ICON));
    const failed = memberPage.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/wallet/slip'));
    const sent = memberPage.waitForRequest('**/api/wallet/slip');
    await button(sheet, say('deposit:slipSend')).click();
    await sent;
    await button(sheet, say('deposit:slipCancel')).click();
    await failed;
    await expect(sheet.getByRole('progressbar')).toHaveCount(0);
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await expect(button(sheet, say('deposit:slipSend'))).toBeEnabled();
  });

  test('sending may take five minutes, and is given up then [R-NET-02]', async ({ memberPage }) => {
    await during(memberPage, true);
    await memberPage.route('**/api/wallet/slip', () => undefined);
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    await choose(memberPage, sheet, await readFile(ICON));
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    const sent = memberPage.waitForRequest('**/api/wallet/slip');
    await button(sheet, say('deposit:slipSend')).click();
    await sent;
    await memberPage.clock.fastForward(299_000);
    await expect(sheet.getByRole('progressbar')).toBeVisible();
    await expect(sheet.getByRole('alert')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    await expect(sheet.getByRole('alert')).toHaveText(say('errors:timeout.member'));
    await expect(button(sheet, say('deposit:slipSendAgain'))).toBeEnabled();
  });

  test('a picture larger than the limit is made smaller, a smaller one goes as it is [R-SLIP-01]', async ({
    memberPage,
  }) => {
    await memberPage.route('**/api/lookup/slip', (route) =>
      route.fulfill({ json: { ...HOURS, maxMB: 1, isOpen: true } }),
    );
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'slip', SLIP);
    const sizes: number[] = [];
    await memberPage.route('**/api/wallet/slip', (route) => {
      sizes.push(route.request().postDataBuffer()?.length ?? 0);
      return route.fulfill({ json: RECEIVED });
    });
    const small = await readFile(ICON);
    const large = await memberPage.evaluate(noise, { side: 3_000 });
    for (const picture of [small, Buffer.from(large, 'base64')]) {
      await choose(memberPage, sheet, picture);
      await button(sheet, say('deposit:slipSend')).click();
      await button(sheet, say('deposit:slipAnother')).click();
    }
    const [first = 0, second = 0] = sizes;
    expect(first).toBeGreaterThan(small.length);
    expect(first).toBeLessThan(small.length + 1_000);
    expect(Buffer.from(large, 'base64').length).toBeGreaterThan(1024 * 1024);
    expect(second).toBeGreaterThan(10_000);
    expect(second).toBeLessThan(1024 * 1024 + 1_000);
  });

  test('the list of ways leads to it only where slips are taken [R-DEP-01]', async ({ memberPage }) => {
    await memberPage.route('**/api/lookup/deposit', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), isManual: false } });
    });
    await openHome(memberPage);
    const sheet = await openWay(memberPage, 'bank', 'ธนาคารออมสิน');
    await expect(sheet).toContainText(say('deposit:slipByContact'));
    await sheet.getByRole('button', { name: say('deposit:otherWays') }).click();
    await expect(ways(depositSheet(memberPage), say, 'slip')).toHaveCount(0);
  });
});

/** A bitmap of one pixel. */
function bitmap(): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write('BM');
  for (const [at, value] of [
    [2, 58],
    [10, 54],
    [14, 40],
    [18, 1],
    [22, 1],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** A PNG of many pixels in few bytes, one bit each. */
function square(side: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8))));
  return Buffer.concat([Buffer.from(PNG, 'latin1'), chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND')]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A square picture that can't be packed well. Runs in the page. @returns base64 */
const noise = ({ side, type = 'image/png' }: { side: number; type?: string }): string => {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const paper = canvas.getContext('2d');
  if (!paper) throw new Error('no canvas');
  for (let x = 0; x < side; x += 6)
    for (let y = 0; y < side; y += 6) {
      paper.fillStyle = `hsl(${(x * y) % 360} 80% ${(x ^ y) % 100}%)`;
      paper.fillRect(x, y, 6, 6);
    }
  return canvas.toDataURL(type).split(',')[1] ?? '';
};
