import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Server } from '../control/serve.ts';
import type { Desk } from '../gateways/desk.ts';
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

const RECENT = 30;

type Deps = {
  store: Store;
  server: Server;
  outside: Outside;
  accounts: Accounts;
  desks: readonly Desk[];
};

const bankCode = z.string().regex(/^[A-Z0-9]{2,10}$/);
const accountNo = z
  .string()
  .transform((text) => text.replace(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{6,20}$/));
const holder = z.object({ bankCode, accountNo, accountName: z.string().trim().min(1).max(100) });
const money = z.unknown().transform((value, context) => {
  const satang = parseMoney(value);
  if (satang !== undefined && satang > 0) return satang;
  context.addIssue('must be an amount above 0 with at most two decimals');
  return z.NEVER;
});

const payQr = z.object({
  payload: z.string(),
  from: holder,
  amount: money.optional(),
  late: z.boolean().default(false),
});
const transferInput = z.object({
  from: holder,
  to: z.object({ bankCode, accountNo }),
  amount: money,
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

const declined = () => ({ status: 402, body: { error: 'declined', message: 'The bank refused this payment' } });

/** The bank app's API: paying, transferring, accounts, slips. */
export function bankRoutes(app: FastifyInstance, deps: Deps): void {
  app.get('/bank/list', () => BANKS);

  app.post('/bank/read-qr', (request) => {
    const {
      code,
      desk: _desk,
      ...seen
    } = scan(readInput(z.object({ payload: z.string() }), request.body).payload, deps);
    return { ...seen, amount: formatMoney(seen.amount), expireDt: thaiTime(code.expiresAt) };
  });

  app.post('/bank/pay-qr', (request, reply) =>
    deps.server.serve(reply, {
      target: 'bank',
      call: 'pay-qr',
      key: senderOf(request.body),
      act: () => ({ status: 200, body: pay(request, deps) }),
      decline: declined,
    }),
  );

  app.post('/bank/transfer', (request, reply) =>
    deps.server.serve(reply, {
      target: 'bank',
      call: 'transfer',
      key: senderOf(request.body),
      act: () => ({ status: 200, body: transfer(request, deps) }),
      decline: declined,
    }),
  );

  app.get('/bank/accounts', () => deps.accounts.list().map(shown));
  app.post('/bank/accounts', (request) => shown(deps.accounts.open(readInput(holder, request.body))));

  app.get<{ Params: { bank: string; number: string } }>('/bank/accounts/:bank/:number', ({ params }) => {
    const account = deps.accounts.find(params.bank, params.number);
    if (!account) throw new Refusal(404, 'unknown_account', 'There is no such account');
    const transfers = deps.accounts.recent(params.bank, params.number, RECENT);
    return { ...shown(account), transfers: transfers.map((moved) => shownTransfer(moved, account)) };
  });

  app.post<{ Params: { bank: string; number: string } }>('/bank/accounts/:bank/:number/cash', ({ params, body }) =>
    shown(deps.accounts.addCash(params.bank, params.number, readInput(z.object({ amount: money }), body).amount)),
  );

  app.get<{ Params: { name: string } }>('/bank/slips/:name', async (request, reply) => {
    const [id = '', kind] = request.params.name.split('.');
    const found = deps.accounts.findTransfer(id);
    if (!found || found.layout === 'none') throw new Refusal(404, 'unknown_transfer', 'There is no such transfer');
    if (kind === 'svg') return reply.type('image/svg+xml').send(await drawSlipQr(found));
    return reply.type('image/png').header('cache-control', 'private, max-age=86400').send(drawSlip(found));
  });
}

function pay(request: FastifyRequest, deps: Deps): object {
  const input = readInput(payQr, request.body);
  const { code, desk, gateway, payee, amount, currency, reference1 } = scan(input.payload, deps);
  const paid = desk.pay(code, { from: input.from, amount: input.amount ?? amount, late: input.late });
  return {
    transferId: paid.transfer.id,
    gateway,
    payee,
    amount: formatMoney(paid.transfer.amount),
    currency,
    reference1,
    txnNo: paid.code?.txnNo ?? null,
    paidAt: thaiTime(paid.transfer.at),
    ...slipOf(request, paid.transfer, deps),
  };
}

function transfer(request: FastifyRequest, deps: Deps): object {
  const input = readInput(transferInput, request.body);
  const { from, to, amount, at, transRef, slip: layout } = input;
  const moved = deps.store.atomically(() => deps.accounts.transfer(from, to, amount, { at, transRef, layout }));
  return {
    transferId: moved.id,
    sendingBank: bankNumber(moved.from.bankCode),
    transRef: moved.transRef,
    amount: formatMoney(moved.amount),
    currency: moved.currency,
    at: thaiTime(moved.at),
    to: {
      bankCode: moved.to.bankCode,
      accountNo: maskAccount(moved.to.accountNo),
      accountName: maskName(moved.to.accountName),
    },
    ...slipOf(request, moved, deps),
  };
}

function slipOf(request: FastifyRequest, moved: Transfer, deps: Deps): { slipUrl: string; slipPayload: string } {
  return {
    slipUrl: `${publicBase(request, deps.outside)}/bank/slips/${moved.id}.png`,
    slipPayload: slipPayload(moved),
  };
}

function shown(account: Account): object {
  const { bankCode: bank, accountNo: number, accountName, owner, currency, balance } = account;
  return { bankCode: bank, accountNo: number, accountName, owner, currency, balance: formatMoney(balance) };
}

function shownTransfer(moved: Transfer, account: Account): object {
  const outgoing = moved.from.bankCode === account.bankCode && moved.from.accountNo === account.accountNo;
  const other = outgoing ? moved.to : moved.from;
  return {
    transferId: moved.id,
    kind: moved.kind,
    direction: outgoing ? 'out' : 'in',
    amount: formatMoney(moved.amount),
    currency: moved.currency,
    at: thaiTime(moved.at),
    other: {
      bankCode: other.bankCode,
      accountNo: maskAccount(other.accountNo),
      accountName: maskName(other.accountName),
    },
    reference: moved.reference,
  };
}

/** The sender's account for the call log, as far as it is known before validation. */
function senderOf(body: unknown): string | null {
  const parsed = z
    .object({ from: z.object({ bankCode: z.string().max(10), accountNo: z.string().max(20) }) })
    .safeParse(body);
  return parsed.success ? `${parsed.data.from.bankCode} ${parsed.data.from.accountNo}` : null;
}
