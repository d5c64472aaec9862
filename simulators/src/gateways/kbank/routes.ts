import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { formatMoney, parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import type { Store } from '../../store.ts';
import { thaiTime } from '../../time.ts';
import { type Code, type Codes, statusOf } from '../codes.ts';
import type { GatewayService } from '../gateway-service.ts';
import type { KbankSettings } from './settings.ts';

const MIN_SATANG = 100;
const MAX_SATANG = 200_000_000;
const ACCOUNT_NAME = 'บจก. กระเป๋าเกมมิ่ง';

type KbankDeps = { gatewayService: GatewayService; server: Server; settings: KbankSettings; store: Store };
type RequestBody = Record<string, unknown>;

const commonFields = z.object({
  partnerTxnUid: z.string().regex(/^[A-Za-z0-9]{1,15}$/),
  partnerId: z.string(),
  partnerSecret: z.string(),
  requestDt: z.iso.datetime({ offset: true }),
  merchantId: z.string(),
  terminalId: z.string(),
  qrType: z.string(),
});

const noteField = (max: number) => z.string().max(max).nullish();
const createInput = z.object({
  reference2: z
    .string()
    .regex(/^[A-Z0-9]{1,20}$/)
    .nullish(),
  reference3: noteField(100),
  reference4: noteField(100),
  metadata: noteField(500),
  lifeSeconds: z.int().min(1).max(86_400).optional(),
});

/** Error codes of the gateway with their messages. */
const ERROR_DESCRIPTIONS = {
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

/** The gateway's protocol: request, inquire, cancel. */
export function kbankRoutes(app: FastifyInstance, deps: KbankDeps): void {
  const apiCalls = [
    { path: '/pos/qr_request', call: 'qr_request', handle: requestQr },
    { path: '/pos/inquire_payment/v2', call: 'inquire_payment', handle: inquire },
    { path: '/pos/qr_cancel', call: 'qr_cancel', handle: cancel },
  ] as const;
  for (const { path, call, handle } of apiCalls) {
    app.post<{ Body: unknown }>(
      `/kbank${path}`,
      { errorHandler: unreadable(() => refusedReply({}, 'bad_request')) },
      (request, reply) => {
        const body = (typeof request.body === 'object' && request.body !== null ? request.body : {}) as RequestBody;
        const key = body['reference1'] ?? body['origPartnerTxnUid'] ?? body['partnerTxnUid'];
        return deps.server.serve(reply, {
          target: 'kbank',
          call,
          key: typeof key === 'string' ? key.slice(0, 40) : null,
          handle: () => refusalOfCommon(body, deps) ?? handle(body, deps),
          decline: () => refusedReply(body, 'general_error'),
        });
      },
    );
  }
}

function replyBody(body: RequestBody, rest: Record<string, unknown>): Answer {
  const { partnerTxnUid = null, partnerId = null } = body;
  return {
    status: 200,
    body: { partnerTxnUid, partnerId, statusCode: '00', errorCode: null, errorDesc: null, ...rest },
  };
}

function refusedReply(body: RequestBody, errorCode: keyof typeof ERROR_DESCRIPTIONS): Answer {
  return replyBody(body, { statusCode: '10', errorCode, errorDesc: ERROR_DESCRIPTIONS[errorCode] });
}

function refusalOfCommon(body: RequestBody, { settings, store }: KbankDeps): Answer | undefined {
  const parsedFields = commonFields.safeParse(body);
  if (!parsedFields.success) return refusedReply(body, 'bad_request');
  const { partnerId, partnerSecret, merchantId, terminalId, qrType, partnerTxnUid } = parsedFields.data;
  if (partnerId !== settings.partnerId || !sameText(partnerSecret, settings.partnerSecret)) {
    return refusedReply(body, 'authentication_error');
  }
  if (merchantId !== settings.merchantId || terminalId !== settings.terminalId)
    return refusedReply(body, 'invalid_merchant');
  if (qrType !== '3') return refusedReply(body, 'invalid_qr_type');
  return claimRequest(store, partnerTxnUid) ? undefined : refusedReply(body, 'duplicate_request');
}

/** Stores a request id; false when it was used before. */
function claimRequest(store: Store, requestUid: string): boolean {
  return store.run('insert or ignore into kbank_request (uid, at) values (?, ?)', requestUid, Date.now()).changes === 1;
}

async function requestQr(body: RequestBody, { gatewayService }: KbankDeps): Promise<Answer> {
  const amount = parseMoney(body['txnAmount']);
  const reference1 = body['reference1'];
  const parsedCreate = createInput.safeParse(body);
  if (body['txnCurrencyCode'] !== 'THB') return refusedReply(body, 'invalid_currency_code');
  if (amount === undefined || amount < MIN_SATANG || amount > MAX_SATANG)
    return refusedReply(body, 'invalid_txn_amount');
  if (typeof reference1 !== 'string' || !/^[A-Z0-9]{1,20}$/.test(reference1))
    return refusedReply(body, 'invalid_reference1');
  if (!parsedCreate.success) return refusedReply(body, 'bad_request');
  const { lifeSeconds, reference2 = null } = parsedCreate.data;
  const code = await gatewayService.issue({
    number: String(body['partnerTxnUid']),
    reference: reference1,
    notes: reference2,
    amount,
    lifeMs: lifeSeconds === undefined ? undefined : lifeSeconds * 1000,
  });
  if (!code) return refusedReply(body, 'duplicate_request');
  return replyBody(body, { accountName: ACCOUNT_NAME, qrCode: code.payload, expireDt: thaiTime(code.expiresAt) });
}

function findAsked(body: RequestBody, codes: Codes): Code | undefined {
  const uid = body['origPartnerTxnUid'];
  const reference1 = body['reference1'];
  const byUid = typeof uid === 'string' ? codes.byNumber(uid) : undefined;
  const byReference = typeof reference1 === 'string' ? codes.byReference(reference1) : undefined;
  if (typeof uid === 'string' && typeof reference1 === 'string')
    return byUid?.id === byReference?.id ? byUid : undefined;
  return byUid ?? byReference;
}

/** The gateway has no status for a failed code. */
function wordOf(code: Code): string {
  const status = statusOf(code, Date.now());
  return status === 'FAILED' ? 'CANCELLED' : status;
}

function inquire(body: RequestBody, { gatewayService }: KbankDeps): Answer {
  if (typeof body['origPartnerTxnUid'] !== 'string' && typeof body['reference1'] !== 'string')
    return refusedReply(body, 'bad_request');
  const code = findAsked(body, gatewayService.codes);
  if (!code) return replyBody(body, { txnStatus: 'NOT_FOUND' });
  return replyBody(body, {
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

function cancel(body: RequestBody, { gatewayService }: KbankDeps): Answer {
  const uid = body['origPartnerTxnUid'];
  if (typeof uid !== 'string') return refusedReply(body, 'bad_request');
  const code = gatewayService.codes.byNumber(uid);
  if (!code) return refusedReply(body, 'invalid_origPartnerTxnUid');
  switch (statusOf(gatewayService.codes.cancel(code), Date.now())) {
    case 'PAID':
      return refusedReply(body, 'qr_paid');
    case 'EXPIRED':
    case 'FAILED':
      return refusedReply(body, 'qr_expired');
    case 'REQUESTED':
    case 'CANCELLED':
      return replyBody(body, {});
  }
}
