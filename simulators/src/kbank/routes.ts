import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { type Answer, type Server, unreadable } from '../control/serve.ts';
import { formatMoney, parseMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import { sameText } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { thaiTime } from '../time.ts';
import { type Code, type Codes, statusOf } from './codes.ts';
import type { KbankPayments } from './payments.ts';

const MIN_SATANG = 100;
const MAX_SATANG = 200_000_000;
const ACCOUNT_NAME = 'บจก. กระเป๋าเกมมิ่ง';

type Deps = {
  server: Server;
  outside: Outside;
  codes: Codes;
  payments: KbankPayments;
  faults: Faults;
  settings: Settings;
};
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

/** The error words of the gateway with what it says about them. */
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

function refusalOfCommon(body: Body, { outside, codes }: Deps): Answer | undefined {
  const parsed = common.safeParse(body);
  if (!parsed.success) return refused(body, 'bad_request');
  const { partnerId, partnerSecret, merchantId, terminalId, qrType, partnerTxnUid } = parsed.data;
  if (partnerId !== outside.kbank.partnerId || !sameText(partnerSecret, outside.kbank.partnerSecret)) {
    return refused(body, 'authentication_error');
  }
  if (merchantId !== outside.kbank.merchantId || terminalId !== outside.kbank.terminalId)
    return refused(body, 'invalid_merchant');
  if (qrType !== '3') return refused(body, 'invalid_qr_type');
  return codes.claimRequest(partnerTxnUid) ? undefined : refused(body, 'duplicate_request');
}

async function requestQr(body: Body, { codes, payments, faults, settings }: Deps): Promise<Answer> {
  const amount = parseMoney(body['txnAmount']);
  const reference1 = body['reference1'];
  const parsed = create.safeParse(body);
  if (body['txnCurrencyCode'] !== 'THB') return refused(body, 'invalid_currency_code');
  if (amount === undefined || amount < MIN_SATANG || amount > MAX_SATANG) return refused(body, 'invalid_txn_amount');
  if (typeof reference1 !== 'string' || !/^[A-Z0-9]{1,20}$/.test(reference1))
    return refused(body, 'invalid_reference1');
  if (!parsed.success) return refused(body, 'bad_request');
  const code = codes.issue({
    uid: String(body['partnerTxnUid']),
    reference1,
    reference2: parsed.data.reference2 ?? null,
    amount,
    lifeSeconds: parsed.data.lifeSeconds ?? settings.qrLifeSeconds,
  });
  if (!code) return refused(body, 'duplicate_request');
  if (faults.takeForCallback('kbank', 'callback-early', 'qr_request')) await payments.payEarly(code);
  const forged = faults.takeForCallback('kbank', 'callback-forged', 'qr_request');
  if (forged) payments.forge(code, forged.amount ?? code.amount);
  return answer(body, { accountName: ACCOUNT_NAME, qrCode: code.payload, expireDt: thaiTime(code.expiresAt) });
}

function findAsked(body: Body, codes: Codes): Code | undefined {
  const uid = body['origPartnerTxnUid'];
  const reference1 = body['reference1'];
  const byUid = typeof uid === 'string' ? codes.byUid(uid) : undefined;
  const byReference = typeof reference1 === 'string' ? codes.byReference(reference1) : undefined;
  if (typeof uid === 'string' && typeof reference1 === 'string')
    return byUid?.id === byReference?.id ? byUid : undefined;
  return byUid ?? byReference;
}

function inquire(body: Body, { codes }: Deps): Answer {
  if (typeof body['origPartnerTxnUid'] !== 'string' && typeof body['reference1'] !== 'string')
    return refused(body, 'bad_request');
  const code = findAsked(body, codes);
  if (!code) return answer(body, { txnStatus: 'NOT_FOUND' });
  return answer(body, {
    txnStatus: statusOf(code, Date.now()),
    origPartnerTxnUid: code.uid,
    reference1: code.reference1,
    reference2: code.reference2,
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

function cancel(body: Body, { codes }: Deps): Answer {
  const uid = body['origPartnerTxnUid'];
  if (typeof uid !== 'string') return refused(body, 'bad_request');
  switch (codes.cancel(uid)) {
    case undefined:
      return refused(body, 'invalid_origPartnerTxnUid');
    case 'PAID':
      return refused(body, 'qr_paid');
    case 'EXPIRED':
      return refused(body, 'qr_expired');
    case 'REQUESTED':
    case 'CANCELLED':
      return answer(body, {});
  }
}
