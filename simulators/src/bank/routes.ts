import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Server } from '../control/serve.ts';
import type { GatewayService } from '../gateways/gateway-service.ts';
import { readInput } from '../input.ts';
import { publicBase } from '../links.ts';
import { formatMoney, parseMoney } from '../money.ts';
import type { Outside } from '../outside/outside-file.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import type { Account, Accounts, Transfer } from './accounts.ts';
import { BANKS, bankNumber } from './banks.ts';
import { maskAccount, maskName } from './mask.ts';
import { SLIP_LAYOUTS } from './references.ts';
import { scan } from './scan.ts';
import { drawSlip, drawSlipQr, slipPayload } from './slip.ts';

const RECENT_TRANSFERS = 30;

type BankDeps = {
  store: Store;
  server: Server;
  outside: Outside;
  accounts: Accounts;
  gatewayServices: readonly GatewayService[];
};

const bankCode = z.string().regex(/^[A-Z0-9]{2,10}$/);
const accountNo = z
  .string()
  .transform((text) => text.replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{6,20}$/));
const holderInput = z.object({ bankCode, accountNo, accountName: z.string().trim().min(1).max(100) });
const moneyInput = z.unknown().transform((value, context) => {
  const amountSatang = parseMoney(value);
  if (amountSatang !== undefined && amountSatang > 0) return amountSatang;
  context.addIssue('must be an amount above 0 with at most two decimals');
  return z.NEVER;
});

const payQr = z.object({
  payload: z.string(),
  from: holderInput,
  amount: moneyInput.optional(),
  late: z.boolean().default(false),
});
const transferInput = z.object({
  from: holderInput,
  to: z.object({ bankCode, accountNo }),
  amount: moneyInput,
  at: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .refine((at) => at <= Date.now(), 'must not be in the future')
    .optional(),
  slip: z.enum(SLIP_LAYOUTS).optional(),
  transRef: z
    .string()
    .regex(/^[A-Za-z0-9]{1,25}$/)
    .optional(),
});

const declinedReply = () => ({ status: 402, body: { error: 'declined', message: 'The bank refused this payment' } });

/** The bank app's API: paying, transferring, accounts, slips. */
export function bankRoutes(app: FastifyInstance, deps: BankDeps): void {
  app.get('/bank/list', () => BANKS);

  app.post('/bank/read-qr', (request) => {
    const {
      code,
      gatewayService: _gatewayService,
      ...seen
    } = scan(readInput(z.object({ payload: z.string() }), request.body).payload, deps);
    return { ...seen, amount: formatMoney(seen.amount), expireDt: thaiTime(code.expiresAt) };
  });

  app.post('/bank/pay-qr', (request, reply) =>
    deps.server.serve(reply, {
      target: 'bank',
      call: 'pay-qr',
      key: senderOf(request.body),
      handle: () => ({ status: 200, body: payByQr(request, deps) }),
      decline: declinedReply,
    }),
  );

  app.post('/bank/transfer', (request, reply) =>
    deps.server.serve(reply, {
      target: 'bank',
      call: 'transfer',
      key: senderOf(request.body),
      handle: () => ({ status: 200, body: transfer(request, deps) }),
      decline: declinedReply,
    }),
  );

  app.get('/bank/accounts', () => deps.accounts.list().map(accountView));
  app.post('/bank/accounts', (request) => accountView(deps.accounts.open(readInput(holderInput, request.body))));

  app.get<{ Params: { bank: string; number: string } }>('/bank/accounts/:bank/:number', ({ params }) => {
    const account = deps.accounts.find(params.bank, params.number);
    if (!account) throw new Refusal(404, 'unknown_account', 'There is no such account');
    const recentTransfers = deps.accounts.recent(params.bank, params.number, RECENT_TRANSFERS);
    return {
      ...accountView(account),
      transfers: recentTransfers.map((recentTransfer) => transferView(recentTransfer, account)),
    };
  });

  app.post<{ Params: { bank: string; number: string } }>('/bank/accounts/:bank/:number/cash', ({ params, body }) =>
    accountView(
      deps.accounts.addCash(params.bank, params.number, readInput(z.object({ amount: moneyInput }), body).amount),
    ),
  );

  app.get<{ Params: { name: string } }>('/bank/slips/:name', async (request, reply) => {
    const [id = '', extension] = request.params.name.split('.');
    const foundTransfer = deps.accounts.findTransfer(id);
    if (!foundTransfer || foundTransfer.layout === 'none')
      throw new Refusal(404, 'unknown_transfer', 'There is no such transfer');
    if (extension === 'svg') return reply.type('image/svg+xml').send(await drawSlipQr(foundTransfer));
    return reply.type('image/png').header('cache-control', 'private, max-age=86400').send(drawSlip(foundTransfer));
  });
}

function payByQr(request: FastifyRequest, deps: BankDeps): object {
  const input = readInput(payQr, request.body);
  const { code, gatewayService, gateway, payee, amount, currency, reference1 } = scan(input.payload, deps);
  const booking = gatewayService.pay(code, { from: input.from, amount: input.amount ?? amount, late: input.late });
  return {
    transferId: booking.transfer.id,
    gateway,
    payee,
    amount: formatMoney(booking.transfer.amount),
    currency,
    reference1,
    txnNo: booking.code?.txnNo ?? null,
    paidAt: thaiTime(booking.transfer.at),
    ...slipLinks(request, booking.transfer, deps),
  };
}

function transfer(request: FastifyRequest, deps: BankDeps): object {
  const input = readInput(transferInput, request.body);
  const { from, to, amount, at, transRef, slip: layout } = input;
  const completedTransfer = deps.store.atomically(() =>
    deps.accounts.transfer(from, to, amount, { at, transRef, layout }),
  );
  return {
    transferId: completedTransfer.id,
    sendingBank: bankNumber(completedTransfer.from.bankCode),
    transRef: completedTransfer.transRef,
    amount: formatMoney(completedTransfer.amount),
    currency: completedTransfer.currency,
    at: thaiTime(completedTransfer.at),
    to: {
      bankCode: completedTransfer.to.bankCode,
      accountNo: maskAccount(completedTransfer.to.accountNo),
      accountName: maskName(completedTransfer.to.accountName),
    },
    ...slipLinks(request, completedTransfer, deps),
  };
}

function slipLinks(
  request: FastifyRequest,
  completedTransfer: Transfer,
  deps: BankDeps,
): { slipUrl: string; slipPayload: string } {
  return {
    slipUrl: `${publicBase(request, deps.outside)}/bank/slips/${completedTransfer.id}.png`,
    slipPayload: slipPayload(completedTransfer),
  };
}

function accountView(account: Account): object {
  const { bankCode: bank, accountNo: number, accountName, owner, currency, balance } = account;
  return { bankCode: bank, accountNo: number, accountName, owner, currency, balance: formatMoney(balance) };
}

function transferView(movement: Transfer, account: Account): object {
  const isOutgoing = movement.from.bankCode === account.bankCode && movement.from.accountNo === account.accountNo;
  const counterparty = isOutgoing ? movement.to : movement.from;
  return {
    transferId: movement.id,
    kind: movement.kind,
    direction: isOutgoing ? 'out' : 'in',
    amount: formatMoney(movement.amount),
    currency: movement.currency,
    at: thaiTime(movement.at),
    other: {
      bankCode: counterparty.bankCode,
      accountNo: maskAccount(counterparty.accountNo),
      accountName: maskName(counterparty.accountName),
    },
    reference: movement.reference,
  };
}

/** The sender's account for the call log, as far as it is known before validation. */
function senderOf(body: unknown): string | null {
  const parsedParams = z
    .object({ from: z.object({ bankCode: z.string().max(10), accountNo: z.string().max(20) }) })
    .safeParse(body);
  return parsedParams.success ? `${parsedParams.data.from.bankCode} ${parsedParams.data.from.accountNo}` : null;
}
