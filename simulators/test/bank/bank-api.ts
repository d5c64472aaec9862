import { createHmac } from 'node:crypto';
import { ask, OPERATOR, type Reply } from '../harness.ts';

export type Line = {
  cursor: string;
  direction: string;
  channel: string;
  transRef: string;
  sendingBank: string;
  bankCode: string;
  amount: string;
  currency: string;
  at: string;
  from: { bankCode: string; accountNo: string; name: string | null } | null;
  to: { bankCode: string; accountNo: string; name: string | null } | null;
  reference1: string | null;
  balanceAfter: string;
};
export type Feed = { lines: Line[]; nextCursor: string; more: boolean; error?: string };
export type Moved = {
  transferId: string;
  sendingBank: string;
  transRef: string;
  slipUrl: string;
  slipPayload: string;
  error?: string;
};

const hmacHex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** Makes a correctly signed call of the bank's API. `wrongHeaders` overrides headers. */
export function signed<Body>(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  wrongHeaders: Record<string, string> = {},
): Promise<Reply<Body>> {
  const timestamp = wrongHeaders['x-timestamp'] ?? String(Math.floor(Date.now() / 1000));
  const text = body === undefined ? '' : JSON.stringify(body);
  return ask<Body>(address, method, `/bank-api${path}`, body, {
    'x-api-key': 'bank-key',
    'x-timestamp': timestamp,
    'x-signature': hmacHex('bank-secret', `${timestamp}.${method}./bank-api${path}.${text}`),
    ...wrongHeaders,
  });
}

/** Reads the feed of the operator's account. */
export async function feed(
  address: string,
  query = '',
  account: { bankCode: string; accountNo: string } = OPERATOR,
): Promise<Feed> {
  return (await signed<Feed>(address, 'GET', `/feed/${account.bankCode}/${account.accountNo}${query}`)).body;
}

/** Whether the bank's secret signs exactly the received bytes of a push. */
export function isSigned(push: { text: string; headers: Record<string, string | string[] | undefined> }): boolean {
  const [, seconds = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(push.headers['x-bank-signature'])) ?? [];
  return (
    Math.abs(Number(seconds) - Date.now() / 1000) < 60 &&
    signature === hmacHex('bank-callback-secret', `${seconds}.${push.text}`)
  );
}
