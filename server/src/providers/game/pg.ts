import { z } from 'zod';
import { readCredits, writeCredits } from './credits.ts';
import { exchange } from './exchange.ts';
import type { Credits, Direction, GameProvider, Moved, Movement, Outcome, RefusalReason } from './port.ts';

export type PgConfig = { kind: 'pg'; url: string; operatorToken: string; secretKey: string; timeoutMs: number };

const CURRENCY = 'THB';
/** The provider's own "internal error": the one code that proves nothing. */
const INTERNAL_ERROR = '1200';
const REASONS: Readonly<Record<string, RefusalReason>> = {
  1305: 'exists',
  3004: 'absent',
  3013: 'insufficient',
  3040: 'absent',
};

const envelope = z.object({
  data: z.unknown(),
  error: z.object({ code: z.coerce.string(), message: z.string().default('') }).nullable(),
});
const creditsField = z.unknown().transform((value, context) => {
  const amount = readCredits(value);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
const actionResult = z.object({ action_result: z.literal(1) });
const playerWallet = z.object({ cashBalance: creditsField, outstandingBalance: creditsField });
const transferResult = z.object({ transferReference: z.string(), amount: creditsField, balanceAmount: creditsField });
const transaction = z.object({
  transferReference: z.string(),
  playerName: z.string(),
  transactionType: z.int(),
  transactionAmount: creditsField,
  balanceAmount: creditsField,
});
const session = z.object({ url: z.url({ protocol: /^https?$/ }) });
const TRANSACTION_TYPE: Record<Direction, number> = { in: 1, out: 2 };

/**
 * PG: players by name, signed in by a session link, every transfer with our reference, which makes it happen once and
 * can be asked about for ever.
 */
export function pgProvider(name: string, config: PgConfig): GameProvider {
  const call = <T>(path: string, fields: Record<string, string>, answer: z.ZodType<T>, timeoutMs = config.timeoutMs) =>
    callPg({ config, path, fields, answer, timeoutMs });
  return {
    name,
    timeoutMs: config.timeoutMs,
    async create({ username, password }) {
      const fields = { player_name: username, currency: CURRENCY, nickname: username, password };
      return map(await call('/Player/v1/Create', fields, actionResult), () => ({ username }));
    },
    async setPassword({ username, password }) {
      const fields = { player_name: username, password };
      return map(await call('/Player/v1/SetPassword', fields, actionResult), () => undefined);
    },
    async balance(username, timeoutMs) {
      const asked = await call('/Cash/v3/GetPlayerWallet', { player_name: username }, playerWallet, timeoutMs);
      return map(asked, (wallet) => ({ cash: wallet.cashBalance, outstanding: wallet.outstandingBalance }));
    },
    async move(movement) {
      const path = movement.direction === 'in' ? '/Cash/v3/TransferIn' : '/Cash/v3/TransferOut';
      const fields = {
        player_name: movement.username,
        amount: writeCredits(movement.amount),
        transfer_reference: movement.reference,
        currency: CURRENCY,
      };
      const moved = await call(path, fields, transferResult);
      if (moved.outcome !== 'done') return moved;
      const { transferReference, amount } = moved.value;
      return confirmed(
        transferReference === movement.reference && amount === movement.amount,
        moved.value.balanceAmount,
      );
    },
    async check(movement) {
      const fields = { player_name: movement.username, transfer_reference: movement.reference };
      const found = await call('/Cash/v3/GetSingleTransaction', fields, transaction);
      return found.outcome === 'done' ? confirmed(isOf(movement, found.value), found.value.balanceAmount) : found;
    },
    async launch({ username, game, language, returnUrl }) {
      const wanted = game === null ? {} : { game_code: game };
      const fields = { player_name: username, language, return_url: returnUrl, ...wanted };
      return map(await call('/Login/v1/LoginGame', fields, session), ({ url }) => ({ link: url }));
    },
  };
}

type Call<T> = {
  config: PgConfig;
  path: string;
  fields: Record<string, string>;
  answer: z.ZodType<T>;
  timeoutMs: number;
};

async function callPg<T>({ config, path, fields, answer, timeoutMs }: Call<T>): Promise<Outcome<T>> {
  const secrets = { operator_token: config.operatorToken, secret_key: config.secretKey };
  const answered = await exchange({
    method: 'POST',
    url: `${config.url}${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...secrets, ...fields }).toString(),
    timeoutMs,
  });
  if (answered.outcome !== 'answered') return answered;
  const read = envelope.safeParse(answered.json);
  if (!read.success) return { outcome: 'unknown', note: 'answer of another shape' };
  if (read.data.error) return refusalOf(read.data.error.code);
  const value = answer.safeParse(read.data.data);
  return value.success
    ? { outcome: 'done', value: value.data }
    : { outcome: 'unknown', note: 'answer of another shape' };
}

function refusalOf(code: string): Outcome<never> {
  if (code === INTERNAL_ERROR) return { outcome: 'unknown', note: `error ${code}` };
  return { outcome: 'refused', reason: REASONS[code] ?? 'declined', note: `error ${code}` };
}

function isOf(movement: Movement, found: z.output<typeof transaction>): boolean {
  return (
    found.transferReference === movement.reference &&
    found.playerName.toLowerCase() === movement.username.toLowerCase() &&
    found.transactionType === TRANSACTION_TYPE[movement.direction] &&
    found.transactionAmount === movement.amount
  );
}

// An answer about something else than what was asked proves nothing about it.
function confirmed(isOurs: boolean, balance: Credits): Outcome<Moved> {
  return isOurs
    ? { outcome: 'done', value: { balance } }
    : { outcome: 'unknown', note: 'answer about another transfer' };
}

function map<A, B>(outcome: Outcome<A>, change: (value: A) => B): Outcome<B> {
  return outcome.outcome === 'done' ? { outcome: 'done', value: change(outcome.value) } : outcome;
}
