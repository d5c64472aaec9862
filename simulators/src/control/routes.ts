import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Accounts } from '../bank/accounts.ts';
import { playerTotals } from '../games/players.ts';
import { readInput } from '../input.ts';
import { type Codes } from '../kbank/codes.ts';
import { formatMoney, parseMoney } from '../money.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import type { CallLog } from './call-log.ts';
import { CALL_FAULTS, CALLBACK_FAULTS, type Fault, type Faults } from './faults.ts';

type Deps = { store: Store; faults: Faults; calls: CallLog; accounts: Accounts; codes: Codes; settings: Settings };

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
const settingsInput = z.strictObject({
  qrLifeSeconds: z.int().min(1).max(86_400).optional(),
  callbackRetryMs: z.int().min(1).max(DAY_MS).optional(),
  callbackUrl: z.url().optional(),
});

/** Making the outside misbehave, and seeing what it was asked and what it holds. */
export function controlRoutes(app: FastifyInstance, deps: Deps): void {
  app.post('/control/faults', (request, reply) => reply.code(201).send(shownFault(addFault(request.body, deps))));
  app.get('/control/faults', () => deps.faults.list().map(shownFault));
  app.delete<{ Querystring: { target?: string } }>('/control/faults', (request, reply) => {
    deps.faults.clear(request.query.target);
    return reply.code(204).send();
  });

  app.get('/control/calls', (request) => {
    const { target, call, since, limit } = readInput(callsInput, request.query);
    return deps.calls.list({ target, call, since: since === undefined ? undefined : Date.parse(since), limit });
  });

  app.get('/control/totals', () => totals(deps));

  app.post('/control/expire-qr', (request) => {
    const { reference1, partnerTxnUid } = readInput(
      z.object({ reference1: z.string().optional(), partnerTxnUid: z.string().optional() }),
      request.body,
    );
    const code = deps.codes.byReference(reference1 ?? '') ?? deps.codes.byUid(partnerTxnUid ?? '');
    if (!code) throw new Refusal(404, 'unknown_qr', 'There is no such code');
    deps.codes.expire(code);
    return { reference1: code.reference1, status: 'EXPIRED' };
  });

  app.get('/control/settings', () => withoutSecret(deps.settings));
  app.post('/control/settings', (request) => {
    const wanted = readInput(settingsInput, request.body);
    for (const [name, value] of Object.entries(wanted))
      if (value !== undefined) Object.assign(deps.settings, { [name]: value });
    return withoutSecret(deps.settings);
  });
}

/** The callback address carries its secret in the query. */
function withoutSecret(settings: Settings): Settings {
  return { ...settings, callbackUrl: settings.callbackUrl.split('?')[0] ?? '' };
}

function addFault(body: unknown, { faults }: Deps): Fault {
  const input = readInput(faultInput, body);
  const kind = [...CALL_FAULTS, ...CALLBACK_FAULTS].find((known) => known === input.fault);
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

function shownFault(fault: Fault): object {
  const { left, amount, ...rest } = fault;
  return { ...rest, times: left, amount: amount === null ? null : formatMoney(amount) };
}

const SUMMED = ['balance', 'outstanding', 'transferredIn', 'transferredOut', 'staked', 'won'] as const;

function totals({ store, accounts, codes }: Deps): object {
  const bank = accounts.list();
  const gateway = codes.totals();
  const players = playerTotals(store);
  const games = Object.entries(Object.groupBy(players, ({ provider }) => provider)).map(([provider, group = []]) => {
    const sums = SUMMED.map((name) => [name, formatMoney(group.reduce((sum, player) => sum + player[name], 0))]);
    return [provider, { ...Object.fromEntries(sums), players: group.length }];
  });
  return {
    bank: bank.map((account) => ({ ...account, balance: formatMoney(account.balance) })),
    gateways: [{ gateway: 'kbank', received: formatMoney(gateway.received), payments: gateway.payments }],
    games: players.map((player) => ({
      ...player,
      ...Object.fromEntries(SUMMED.map((name) => [name, formatMoney(player[name])])),
    })),
    sums: {
      bank: formatMoney(bank.reduce((sum, account) => sum + account.balance, 0)),
      gateways: formatMoney(gateway.received),
      games: Object.fromEntries(games),
      cash: formatMoney(accounts.cash()),
    },
  };
}
