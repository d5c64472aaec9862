import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outside } from '../src/outside/outside-file.ts';
import { startSimulators } from '../src/server.ts';

/** Key pair with which the caller signs for circus. */
export const CIRCUS_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
export const PERSON = { bankCode: 'SCB', accountNo: '1234567890', accountName: 'มะลิ สวนดี' };
export const OPERATOR = {
  bankCode: 'KBANK',
  accountNo: '0987654321',
  accountName: 'กระเป๋า จำกัด',
  currency: 'BAHT' as const,
};

export function outsideFor(callbackUrl: string, callbackRetryMs = 12_000): Outside {
  return {
    publicUrl: 'http://localhost:3000',
    followHost: [],
    sms: { key: 'sms-key', secret: 'sms-secret', sender: 'KRAPAO' },
    kbank: {
      partnerId: 'PTR1',
      partnerSecret: 'partner-secret',
      merchantId: 'KB1',
      terminalId: 'term1',
      billerId: '099999999999901',
      callbackUrl,
      callbackRetryMs,
    },
    ww: {
      merchantId: 'WW1',
      apiKey: 'ww-key',
      signingSecret: Buffer.from('ww-signing-secret').toString('base64'),
      billerId: '099999999999902',
      callbackUrl,
    },
    fp: { merchantNo: 'FP1', key: 'fp-key', billerId: '099999999999903', callbackUrl },
    payonex: { accessKey: 'payonex-access', secretKey: 'payonex-secret', callbackUrl },
    bcel: { merchantId: 'mch0123456789abc', secretKey: 'bcel-secret', callbackUrl },
    bank: {
      apiKey: 'bank-key',
      apiSecret: 'bank-secret',
      callbackSecret: 'bank-callback-secret',
      feedCallbackUrl: new URL('bank-feed', callbackUrl).href,
      payoutCallbackUrl: new URL('bank-payout', callbackUrl).href,
      accounts: [OPERATOR],
    },
    walletApp: {
      apiKey: 'wallet-app-key',
      accountName: 'KRAPAO',
      phone: '0800000001',
      webhookSecret: 'wallet-app-webhook-secret',
      callbackUrl: new URL('wallet-app', callbackUrl).href,
    },
    chatBackend: {
      key: 'chat-key',
      secret: 'chat-backend-secret',
      callbackUrl: new URL('chat', callbackUrl).href,
      robot: true,
    },
    games: {
      pg: { operatorToken: 'op', secretKey: 'pg-secret' },
      joker2: { appId: 'JKR1', secret: 'joker2-secret' },
      betflix: { apiKey: 'betflix-key', apiCat: 'betflix-cat' },
      areaslot: { agent: 'area', key: 'areaslot-key' },
      huayhd: { agent: 'huay', secret: 'huayhd-secret' },
      askmebet: { agent: 'krapao', key: 'amb-key' },
      imi: { user: 'imi', password: 'imi-password' },
      usun: { clientId: 'usun', clientSecret: 'usun-secret' },
      circus: { operatorId: 'circus', privateKey: CIRCUS_KEY },
      slotracha: { token: 'slotracha-token' },
      pgslot: { agent: 'pgslot', secret: 'pgslot-secret' },
      naga: { merchant: 'NAGA1', secret: 'naga-secret' },
      saming: { merchant: 'SAMING1', secret: 'saming-secret' },
      royal: { agent: 'royal', key: 'royal-key' },
    },
  };
}

export type Reply<Body> = { status: number; body: Body };

/** Makes an HTTP call and parses JSON; other text stays text. */
export async function ask<Body = Record<string, never>>(
  address: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Body>> {
  const form = body instanceof URLSearchParams;
  const response = await fetch(address + path, {
    method,
    headers: { ...(body === undefined || form ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: (json ? JSON.parse(text) : text) as Body };
}

/** Whether a call gets no reply within `ms`, which is long enough for the call to arrive on a busy machine. */
export async function isSilent(address: string, path: string, body: unknown, ms = 1_500): Promise<boolean> {
  try {
    await fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ms),
    });
    return false;
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError';
  }
}

export type Callback = { partnerTxnUid: string; txnAmount: string; txnNo: string; reference1: string; at: number };

const PUSH_PATHS: ReadonlySet<string> = new Set(['bank-feed', 'bank-payout', 'wallet-app', 'chat']);

/** Pushes of bank or wallet app: address, raw body, and time. */
export type Push = { to: string; text: string; headers: IncomingMessage['headers']; at: number };

/** The merchant's receiver of callbacks: records them, and replies as configured. */
export class Listener {
  readonly got: Callback[] = [];
  /** Raw bodies and headers of the same callbacks. */
  readonly raw: { headers: IncomingHttpHeaders; body: string }[] = [];
  readonly pushes: Push[] = [];
  /** Reply to the n-th push; accepts it by default. */
  answerPush: (n: number) => { status: number; body: string } = () => ({ status: 200, body: '{"ok":true}' });
  /** Reply to the n-th callback; accepts it by default. */
  answer: (n: number) => { status: number; body: string } = () => ({ status: 200, body: '{"statusCode":"00"}' });
  onCallback: () => void = () => {};
  readonly #http: HttpServer;

  constructor() {
    this.#http = createServer((request: IncomingMessage, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const lastSegment = (request.url ?? '').split('/').at(-1)?.split('?')[0] ?? '';
        if (PUSH_PATHS.has(lastSegment)) {
          this.pushes.push({ to: lastSegment, text, headers: request.headers, at: Date.now() });
          const reply = this.answerPush(this.pushes.length);
          response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
          return;
        }
        const isForm = request.headers['content-type']?.includes('urlencoded');
        const fields = (isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)) as Callback;
        this.got.push({ ...fields, at: Date.now() });
        this.raw.push({ headers: request.headers, body: text });
        this.onCallback();
        const { status, body } = this.answer(this.got.length);
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
    // Idle connections stay open: a close could hit a call in flight.
    this.#http.keepAliveTimeout = 0;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/api/callback/kbank?key=k`;
  }

  stop(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'simulators-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts empty simulators on a free port, and a listener for their callbacks. */
export async function outside(
  t: TestContext,
  options: { retryMs?: number } = {},
): Promise<{ address: string; listener: Listener }> {
  const listener = new Listener();
  const callbackUrl = await listener.start();
  const simulators = await startSimulators({
    port: 0,
    dataDir: ':memory:',
    outside: outsideFor(callbackUrl, options.retryMs),
  });
  t.after(async () => {
    await simulators.close();
    listener.stop();
  });
  return { address: simulators.address, listener };
}

/** Waits until a condition holds; fails the test after 90 seconds. */
export async function until(isTrue: () => boolean | Promise<boolean>, description: string): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`did not come true in time: ${description}`);
    await sleep(20);
  }
}

let lastRequestUid = 0;

/** Body with the fields of every KBANK request, and a unique request id. */
export function kbankBody(fields: object): object {
  return {
    partnerTxnUid: `T${String(++lastRequestUid).padStart(10, '0')}`,
    partnerId: 'PTR1',
    partnerSecret: 'partner-secret',
    requestDt: '2026-11-21T15:00:00+07:00',
    merchantId: 'KB1',
    terminalId: 'term1',
    qrType: '3',
    ...fields,
  };
}

export type KbankReply = {
  partnerTxnUid: string;
  statusCode: string;
  errorCode: string | null;
  qrCode: string;
  txnStatus: string;
  txnAmount: string;
  paidAmount: string | null;
  paidDt: string | null;
  txnNo: string | null;
  payerBankCode: string | null;
  payerAccountNo: string | null;
  payerName: string | null;
};

/** Requests a code from the gateway. */
export async function newCode(address: string, reference1: string, fields: object = {}): Promise<KbankReply> {
  const body = kbankBody({ txnAmount: '100.00', txnCurrencyCode: 'THB', reference1, ...fields });
  return (await ask<KbankReply>(address, 'POST', '/kbank/pos/qr_request', body)).body;
}

export async function inquire(address: string, reference1: string): Promise<KbankReply> {
  return (await ask<KbankReply>(address, 'POST', '/kbank/pos/inquire_payment/v2', kbankBody({ reference1 }))).body;
}

export type Paid = {
  transferId: string;
  txnNo: string;
  amount: string;
  slipUrl: string;
  slipPayload: string;
  error?: string;
};

export function payQr(address: string, payload: string, fields: object = {}): Promise<Reply<Paid>> {
  return ask<Paid>(address, 'POST', '/bank/pay-qr', { payload, from: PERSON, ...fields });
}
