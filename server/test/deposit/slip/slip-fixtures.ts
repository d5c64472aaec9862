import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import QRCode from 'qrcode';
import sharp from 'sharp';
import { crc16 } from '../../../src/adapters/gateway/emv.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import type { TestMember } from '../../harness/members.ts';
import type { System } from '../../harness/system.ts';

/** Text of the QR code on a bank's slip. */
export function slipText(sendingBank: string, transRef: string): string {
  const emvField = (tag: string, value: string) => `${tag}${String(value.length).padStart(2, '0')}${value}`;
  const names = emvField('00', '000001') + emvField('01', sendingBank) + emvField('02', transRef);
  const payload = `${emvField('00', names)}5102TH9104`;
  return payload + crc16(payload);
}

export const qrImage = (text: string, sidePx: number): Promise<Buffer> =>
  QRCode.toBuffer(text, { type: 'png', errorCorrectionLevel: 'M', margin: 2, width: sidePx });

/** An image with these codes stacked vertically, 720 px wide. */
export async function slipImage(...texts: string[]): Promise<Buffer> {
  const codes = await Promise.all(texts.map((text) => qrImage(text, 300)));
  return sharp({ create: { width: 720, height: 360 + 360 * texts.length, channels: 3, background: '#ffffff' } })
    .composite(codes.map((input, index) => ({ input, left: 210, top: 280 + 360 * index })))
    .png()
    .toBuffer();
}

export type UploadPart = { field?: string; name?: string; type?: string; bytes: Uint8Array };

/** Uploads files like a browser. */
export async function uploadSlips(
  { url }: Pick<System, 'url'>,
  token: string | undefined,
  ...files: UploadPart[]
): Promise<ApiReply> {
  const form = new FormData();
  for (const { field = 'file', name = 'slip.jpg', type = 'image/jpeg', bytes } of files) {
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  const reply = await fetch(`${url}/api/wallet/slip`, {
    method: 'POST',
    body: form,
    headers: {
      'x-requested-with': 'XMLHttpRequest',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

export type SlipBody = {
  _id: string;
  createdAt: string;
  amount: number | null;
  status: string;
  note: string | null;
  underReview: boolean;
  link: string | null;
  reference: string;
};

/** Uploads an image that must be accepted. */
export async function sendSlip(system: Pick<System, 'url'>, token: string, bytes: Uint8Array): Promise<SlipBody> {
  const { status, body } = await uploadSlips(system, token, { bytes });
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { slip: SlipBody }).slip;
}

export async function listSlips(system: Pick<System, 'api'>, token: string): Promise<SlipBody[]> {
  const { status, body } = await system.api('POST /api/statement/slip', { token, body: { limit: 100 } });
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { slips: SlipBody[] }).slips;
}

/** A slip in the list. */
export async function readSlip(system: Pick<System, 'api'>, token: string, reference: string): Promise<SlipBody> {
  const slip = (await listSlips(system, token)).find((slip) => slip.reference === reference);
  assert.ok(slip, `the slip ${reference} is in the list`);
  return slip;
}

export type SlipTransfer = {
  transferId: string;
  sendingBank: string;
  transRef: string;
  slipUrl: string;
  slipPayload: string;
};

export const OWN_SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
/** An account without a feed: only slips report its transfers. */
export const OWN_GSB_ACCOUNT = { bankCode: 'GSB', accountNo: '020123456789' };

/** A transfer from a member's registered account, and its slip image of the bank app. */
export async function transferWithSlip(
  system: System,
  member: TestMember,
  {
    amount,
    to = OWN_GSB_ACCOUNT,
    ...more
  }: { amount: string; to?: { bankCode: string; accountNo: string } } & Record<string, unknown>,
): Promise<SlipTransfer & { image: Buffer }> {
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  const { status, body } = await system.simulatorsApi('POST /bank/transfer', { body: { from, to, amount, ...more } });
  assert.ok(status < 300, JSON.stringify(body));
  const slipTransfer = body as SlipTransfer;
  return { ...slipTransfer, image: await fetchImage(slipTransfer.slipUrl) };
}

export async function fetchImage(url: string): Promise<Buffer> {
  const reply = await fetch(url);
  assert.equal(reply.status, 200, url);
  return Buffer.from(await reply.arrayBuffer());
}

const POLL_MS = 50;
/** Reading an image is CPU-bound, and the machine may be busy. */
const PATIENCE_MS = 120_000;

/** Waits until a slip has ended, or until the condition holds. */
export async function waitForSlipEnd(
  system: Pick<System, 'api'>,
  token: string,
  { reference }: { reference: string },
): Promise<SlipBody> {
  for (const deadlineMs = Date.now() + PATIENCE_MS; Date.now() < deadlineMs; await wait(POLL_MS)) {
    const slip = await readSlip(system, token, reference);
    if (slip.status !== 'PROCESSING') return slip;
  }
  throw new Error(`the slip ${reference} does not end`);
}

/** Waits until the condition holds for a slip's row. */
export async function waitForSlipRow(
  { database }: Pick<System, 'database'>,
  reference: string,
  isSo: (row: SlipRow) => boolean,
): Promise<SlipRow> {
  let row: SlipRow | undefined;
  for (const deadlineMs = Date.now() + PATIENCE_MS; Date.now() < deadlineMs; await wait(POLL_MS)) {
    const { rows } = await database.query<SlipRow>(
      `select state, reason, tries, refusals, verdict is not null as "isJudged", upload_key as "uploadKey",
         picture_key as "imageKey" from slip where reference = $1`,
      [reference],
    );
    row = rows[0];
    if (row && isSo(row)) return row;
  }
  throw new Error(`the slip ${reference} is still ${JSON.stringify(row)}`);
}

export type SlipRow = {
  state: string;
  reason: string | null;
  tries: number;
  refusals: number;
  /** The list is updated shortly afterwards. */
  isJudged: boolean;
  uploadKey: string | null;
  imageKey: string | null;
};

/** Makes all slips due. */
export async function makeSlipsDue({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query('update slip set work_at = now() where work_at is not null');
}
