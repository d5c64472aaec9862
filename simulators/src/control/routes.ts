import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Payouts } from '../bank-api/payouts.ts';
import { accountTotals, payoutTotals, settledTotal } from '../bank-api/totals.ts';
import type { Accounts } from '../bank/accounts.ts';
import { playerTotals } from '../games/players.ts';
import { type Code, findByName, statusOf } from '../gateways/codes.ts';
import type { GatewayService } from '../gateways/gateway-service.ts';
import { readInput } from '../input.ts';
import { type Currency, formatMoney, parseMoney } from '../money.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { walletTotals } from '../wallet-app/totals.ts';
import type { CallLog } from './call-log.ts';
import { changeSettings, withoutSecrets } from './change-settings.ts';
import { CALL_FAULTS, CALLBACK_FAULTS, type Fault, type Faults, SPECIAL_FAULTS } from './faults.ts';

type ControlDeps = {
  store: Store;
  faults: Faults;
  calls: CallLog;
  accounts: Accounts;
  gatewayServices: readonly GatewayService[];
  payouts: Payouts;
  settings: Settings;
};

const DAY_MS = 86_400_000;
const faultInput = z.object({
  target: z.string(),
  fault: z.string(),
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: z.int().min(0).max(DAY_MS).optional(),
  call: z.string().optional(),
  applied: z.boolean().optional(),
  amount: z.unknown().optional(),
});
const callsInput = z.object({
  target: z.string().optional(),
  call: z.string().optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
const payoutInput = z.object({ outcome: z.enum(['PAID', 'FAILED']), reason: z.string().min(1).max(64).optional() });
/** Control API: orders faults, and shows received calls and balances. */
export function controlRoutes(app: FastifyInstance, deps: ControlDeps): void {
  app.post('/control/faults', (request, reply) => reply.code(201).send(faultView(addFault(request.body, deps))));
  app.get('/control/faults', () => deps.faults.list().map(faultView));
  app.delete<{ Querystring: { target?: string } }>('/control/faults', (request, reply) => {
    deps.faults.clear(request.query.target);
    return reply.code(204).send();
  });

  app.get('/control/calls', (request) => {
    const { target, call, since, limit } = readInput(callsInput, request.query);
    return deps.calls.list({ target, call, since: since === undefined ? undefined : Date.parse(since), limit });
  });

  app.get('/control/totals', () => totals(deps));

  app.get<{ Querystring: { reference1?: string } }>('/control/qr', ({ query }) => codeView(query.reference1, deps));
  app.post('/control/expire-qr', (request) => endCode(request.body, 'EXPIRED', deps));
  app.post('/control/fail-qr', (request) => endCode(request.body, 'FAILED', deps));
  app.post<{ Params: { reference: string } }>('/control/payouts/:reference', ({ params, body }) => {
    const { outcome, reason } = readInput(payoutInput, body);
    return deps.payouts.end(params.reference, outcome, reason);
  });

  app.get('/control/settings', () => withoutSecrets(deps.settings));
  app.post('/control/settings', (request) => {
    changeSettings(deps.settings, request.body);
    return withoutSecrets(deps.settings);
  });
}

function mustFindCode(
  name: string | undefined,
  { store, gatewayServices }: Pick<ControlDeps, 'store' | 'gatewayServices'>,
): { code: Code; gatewayService: GatewayService } {
  const code = findByName(store, name ?? '');
  const gatewayService = gatewayServices.find(({ gateway }) => gateway.name === code?.gateway);
  if (!code || !gatewayService) throw new Refusal(404, 'unknown_qr', 'There is no such code');
  return { code, gatewayService };
}

/** The state of a code at its gateway, for a caller that lost the reply to its creation. */
function codeView(reference1: string | undefined, deps: ControlDeps): object {
  const { code, gatewayService } = mustFindCode(reference1, deps);
  const { name, currency } = gatewayService.gateway;
  const status = statusOf(code, Date.now());
  return {
    gateway: name,
    currency,
    reference1: code.reference,
    status,
    amount: formatMoney(code.amount),
    paidAmount: code.paidAmount === null ? null : formatMoney(code.paidAmount),
    payload: code.payload,
  };
}

function endCode(body: unknown, endStatus: 'EXPIRED' | 'FAILED', { store, gatewayServices }: ControlDeps): object {
  const name = z.string().optional();
  const { reference1, partnerTxnUid } = readInput(z.object({ reference1: name, partnerTxnUid: name }), body);
  const { code, gatewayService } = mustFindCode(reference1 ?? partnerTxnUid, { store, gatewayServices });
  gatewayService.codes.end(code, endStatus);
  return { reference1: code.reference, status: endStatus };
}

function addFault(body: unknown, { faults }: ControlDeps): Fault {
  const input = readInput(faultInput, body);
  const kind = [...CALL_FAULTS, ...CALLBACK_FAULTS, ...SPECIAL_FAULTS].find((candidate) => candidate === input.fault);
  if (!kind) throw new Refusal(400, 'unknown_fault', `There is no fault ${input.fault}`);
  const amount = input.amount === undefined ? null : parseMoney(input.amount);
  if (amount === undefined) throw new Refusal(400, 'bad_input', 'amount: must be an amount with at most two decimals');
  return faults.add({
    target: input.target,
    fault: kind,
    call: input.call ?? null,
    left: input.times,
    delayMs: input.delayMs ?? null,
    applied: input.applied ?? null,
    amount,
  });
}

function faultView(fault: Fault): object {
  const { left, amount, ...otherFields } = fault;
  return { ...otherFields, times: left, amount: amount === null ? null : formatMoney(amount) };
}

const SUMMED_FIELDS = [
  'balance',
  'outstanding',
  'turnover',
  'transferredIn',
  'transferredOut',
  'staked',
  'won',
] as const;

function totals({ store, accounts, gatewayServices }: ControlDeps): object {
  const bank = accountTotals(store, accounts);
  const payouts = payoutTotals(store);
  const gateways = gatewayServices.map(({ gateway: { name, currency, finder }, codes }) => {
    const { received, payments } = codes.totals();
    const { unmatched, fee } = finder?.totals() ?? { unmatched: 0, fee: 0 };
    return { gateway: name, currency, received: received + unmatched, payments, unmatched, fee };
  });
  const players = playerTotals(store);
  const games = Object.entries(Object.groupBy(players, ({ provider }) => provider)).map(
    ([provider, providerPlayers = []]) => {
      const totalsByField = SUMMED_FIELDS.map((name) => [
        name,
        formatMoney(providerPlayers.reduce((total, player) => total + player[name], 0)),
      ]);
      return [provider, { ...Object.fromEntries(totalsByField), players: providerPlayers.length }];
    },
  );
  const sumsOf = (currency: Currency) => ({
    bank: sum(bank.filter((account) => account.currency === currency).map(({ balance }) => balance)),
    gateways: sum(gateways.filter((gateway) => gateway.currency === currency).map(({ received }) => received)),
    payouts: formatMoney(payouts.find((row) => row.currency === currency)?.underWay ?? 0),
    settled: formatMoney(settledTotal(store, currency)),
    cash: formatMoney(accounts.cash(currency)),
  });
  return {
    bank: bank.map((account) => ({ ...account, ...asText(account, ['balance', 'opening', 'cashIn', 'in', 'out']) })),
    payouts: payouts.map((row) => ({ ...row, ...asText(row, ['accepted', 'underWay', 'paid', 'failed']) })),
    walletApp: walletTotals(store),
    gateways: gateways.map((gateway) => ({
      ...gateway,
      received: formatMoney(gateway.received),
      unmatched: formatMoney(gateway.unmatched),
      fee: formatMoney(gateway.fee),
    })),
    games: players.map((player) => ({
      ...player,
      ...Object.fromEntries(SUMMED_FIELDS.map((name) => [name, formatMoney(player[name])])),
    })),
    sums: { ...sumsOf('BAHT'), LAK: sumsOf('LAK'), games: Object.fromEntries(games) },
  };
}

function asText<Name extends string>(row: Record<Name, number>, names: readonly Name[]): object {
  return Object.fromEntries(names.map((name) => [name, formatMoney(row[name])]));
}

function sum(amounts: readonly number[]): string {
  return formatMoney(amounts.reduce((total, amount) => total + amount, 0));
}
