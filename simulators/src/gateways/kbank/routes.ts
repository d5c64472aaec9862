import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { formatMoney, parseMoney } from '../../money.ts';
import type { KbankSettings } from './settings.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Store } from '../../store.ts';
import { thaiTime } from '../../time.ts';
import { type Code, type Codes, statusOf } from '../codes.ts';
import type { Desk } from '../desk.ts';

const MIN_SATANG = 100;
const MAX_SATANG = 200_000_000;
const ACCOUNT_NAME = 'บจก. กระเป๋าเกมมิ่ง';

type Deps = { desk: Desk; server: Server; settings: KbankSettings; store: Store };
type Body = Record<string, unknown>;

const common = z.object({
  partnerTxnUid: z.string().regex(/^[A-Za-z0-9]{1,15}$/),
  partnerId: z.string(),
  partnerSecret: z.string(),
  requestDt: z.iso.datetime({ offset: true }),
  merchantId: z.string(),
  terminalId: z.string(),
  qrType: z.string(),
});

const note = (max: number) => z.string().max(max).nullish();
const create = z.object({
  reference2: z
    .string()
    .regex(/^[A-Z0-9]{1,20}$/)
    .nullish(),
  reference3: note(100),
  reference4: note(100),
  metadata: note(500),
  lifeSeconds: z.int().min(1).max(86_400).optional(),
});

/** Error codes of the gateway with their messages. */
const DESCRIPTIONS = {
  bad_request: 'Invalid request (EMBR)',
  authentication_error: 'Wrong partner key (EMA)',
  invalid_merchant: 'Merchant or terminal does not exist (EMDNE)',
  duplicate_request: 'This request is duplicated (EMDR)',
  invalid_qr_type: 'This QR type is not allowed (EMIQR)',
  invalid_currency_code: 'This currency is not allowed (EMICC)',
  invalid_txn_amount: 'Invalid amount (EMITA)',
  invalid_reference1: 'reference1 must have 1 to 20 of A-Z and 0-9 (EMIR)',
  invalid_origPartnerTxnUid: 'origPartnerTxnUid does not exist (EMITDNE)',
  qr_paid: 'QR already paid (EMQRP)',
  qr_expired: 'QR has expired (EMQRE)',
  general_error: 'The transaction cannot be processed, try again later (EMG)',
} as const;

/** The gateway's own protocol: request, inquire, cancel. */
export function kbankRoutes(app: FastifyInstance, deps: Deps): void {
  const calls = [
    { path: '/pos/qr_request', call: 'qr_request', act: requestQr },
    { path: '/pos/inquire_payment/v2', call: 'inquire_payment', act: inquire },
    { path: '/pos/qr_cancel', call: 'qr_cancel', act: cancel },
  ] as const;
  for (const { path, call, act } of calls) {
    app.post<{ Body: unknown }>(
      `/kbank${path}`,
      { errorHandler: unreadable(() => refused({}, 'bad_request')) },
      (request, reply) => {
        const body = (typeof request.body === 'object' && request.body !== null ? request.body : {}) as Body;
        const key = body['reference1'] ?? body['origPartnerTxnUid'] ?? body['partnerTxnUid'];
        return deps.server.serve(reply, {
          target: 'kbank',
          call,
          key: typeof key === 'string' ? key.slice(0, 40) : null,
          act: () => refusalOfCommon(body, deps) ?? act(body, deps),
          decline: () => refused(body, 'general_error'),
        });
      },
    );
  }
}

function answer(body: Body, rest: Record<string, unknown>): Answer {
  const { partnerTxnUid = null, partnerId = null } = body;
  return {
    status: 200,
    body: { partnerTxnUid, partnerId, statusCode: '00', errorCode: null, errorDesc: null, ...rest },
  };
}

function refused(body: Body, errorCode: keyof typeof DESCRIPTIONS): Answer {
  return answer(body, { statusCode: '10', errorCode, errorDesc: DESCRIPTIONS[errorCode] });
}

function refusalOfCommon(body: Body, { settings, store }: Deps): Answer | undefined {
  const parsed = common.safeParse(body);
  if (!parsed.success) return refused(body, 'bad_request');
  const { partnerId, partnerSecret, merchantId, terminalId, qrType, partnerTxnUid } = parsed.data;
  if (partnerId !== settings.partnerId || !sameText(partnerSecret, settings.partnerSecret)) {
    return refused(body, 'authentication_error');
  }
  if (merchantId !== settings.merchantId || terminalId !== settings.terminalId)
    return refused(body, 'invalid_merchant');
  if (qrType !== '3') return refused(body, 'invalid_qr_type');
  return claimRequest(store, partnerTxnUid) ? undefined : refused(body, 'duplicate_request');
}

/** Stores a request id; false when it was used before. */
function claimRequest(store: Store, uid: string): boolean {
  return store.run('insert or ignore into kbank_request (uid, at) values (?, ?)', uid, Date.now()).changes === 1;
}

async function requestQr(body: Body, { desk }: Deps): Promise<Answer> {
  const amount = parseMoney(body['txnAmount']);
  const reference1 = body['reference1'];
  const parsed = create.safeParse(body);
  if (body['txnCurrencyCode'] !== 'THB') return refused(body, 'invalid_currency_code');
  if (amount === undefined || amount < MIN_SATANG || amount > MAX_SATANG) return refused(body, 'invalid_txn_amount');
  if (typeof reference1 !== 'string' || !/^[A-Z0-9]{1,20}$/.test(reference1))
    return refused(body, 'invalid_reference1');
  if (!parsed.success) return refused(body, 'bad_request');
  const { lifeSeconds, reference2 = null } = parsed.data;
  const code = await desk.issue({
    number: String(body['partnerTxnUid']),
    reference: reference1,
    notes: reference2,
    amount,
    lifeMs: lifeSeconds === undefined ? undefined : lifeSeconds * 1000,
  });
  if (!code) return refused(body, 'duplicate_request');
  return answer(body, { accountName: ACCOUNT_NAME, qrCode: code.payload, expireDt: thaiTime(code.expiresAt) });
}

function findAsked(body: Body, codes: Codes): Code | undefined {
  const uid = body['origPartnerTxnUid'];
  const reference1 = body['reference1'];
  const byUid = typeof uid === 'string' ? codes.byNumber(uid) : undefined;
  const byReference = typeof reference1 === 'string' ? codes.byReference(reference1) : undefined;
  if (typeof uid === 'string' && typeof reference1 === 'string')
    return byUid?.id === byReference?.id ? byUid : undefined;
  return byUid ?? byReference;
}

/** This gateway has no status for a code that failed. */
function wordOf(code: Code): string {
  const status = statusOf(code, Date.now());
  return status === 'FAILED' ? 'CANCELLED' : status;
}

function inquire(body: Body, { desk }: Deps): Answer {
  if (typeof body['origPartnerTxnUid'] !== 'string' && typeof body['reference1'] !== 'string')
    return refused(body, 'bad_request');
  const code = findAsked(body, desk.codes);
  if (!code) return answer(body, { txnStatus: 'NOT_FOUND' });
  return answer(body, {
    txnStatus: wordOf(code),
    origPartnerTxnUid: code.number,
    reference1: code.reference,
    reference2: code.notes,
    txnAmount: formatMoney(code.amount),
    txnCurrencyCode: 'THB',
    expireDt: thaiTime(code.expiresAt),
    qrCode: code.payload,
    paidAmount: code.paidAmount === null ? null : formatMoney(code.paidAmount),
    paidDt: code.paidAt === null ? null : thaiTime(code.paidAt),
    txnNo: code.txnNo,
    payerBankCode: code.payerBank,
    payerAccountNo: code.payerNumber === null ? null : maskAccount(code.payerNumber),
    payerName: code.payerName === null ? null : maskName(code.payerName),
  });
}

function cancel(body: Body, { desk }: Deps): Answer {
  const uid = body['origPartnerTxnUid'];
  if (typeof uid !== 'string') return refused(body, 'bad_request');
  const code = desk.codes.byNumber(uid);
  if (!code) return refused(body, 'invalid_origPartnerTxnUid');
  switch (statusOf(desk.codes.cancel(code), Date.now())) {
    case 'PAID':
      return refused(body, 'qr_paid');
    case 'EXPIRED':
    case 'FAILED':
      return refused(body, 'qr_expired');
    case 'REQUESTED':
    case 'CANCELLED':
      return answer(body, {});
  }
}
