import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readCredits, writeCredits } from './credits.ts';
import { exchange } from './exchange.ts';
import type { GameProvider, Outcome, RefusalReason } from './port.ts';

export type AskmebetConfig = { kind: 'askmebet'; url: string; agent: string; key: string; timeoutMs: number };

const DONE = 0;
const INTERNAL_ERROR = 999;
const REASONS: Readonly<Record<number, RefusalReason>> = { 1003: 'absent', 1004: 'exists', 1005: 'insufficient' };

const envelope = z.object({ code: z.int(), message: z.string().default(''), result: z.unknown() });
const creditsField = z.unknown().transform((value, context) => {
  const amount = readCredits(value);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
const created = z.object({ username: z.string().regex(/^[A-Za-z0-9]{1,16}$/) });
const moved = z.object({ before: creditsField, after: creditsField, amount: creditsField });
const credit = z.object({ credit: creditsField, outstanding: creditsField });
const anything = z.unknown();

/**
 * askmebet: players by name and password, signed in by a link that carries both. A transfer has no reference of ours and
 * can't be asked about: whoever gets no answer must compare the balance before and after.
 */
export function askmebetProvider(name: string, config: AskmebetConfig): GameProvider {
  const call = <T>(request: Omit<Call<T>, 'config'>) => callAskmebet({ config, ...request });
  const sign = (...parts: string[]) => md5([...parts, config.agent].join(':'));
  return {
    name,
    timeoutMs: config.timeoutMs,
    create: ({ username, password }) => {
      const body = { memberLoginName: username, memberLoginPass: password, signature: sign(username, password) };
      return call({ method: 'POST', word: 'create', body, answer: created });
    },
    async setPassword({ username, password }) {
      const body = { password, signature: sign(password) };
      const set = await call({ method: 'PUT', word: 'reset-password', username, body, answer: anything });
      return set.outcome === 'done' ? { outcome: 'done', value: undefined } : set;
    },
    async balance(username, timeoutMs = config.timeoutMs) {
      const asked = await call({ method: 'GET', word: 'credit', username, answer: credit, timeoutMs });
      if (asked.outcome !== 'done') return asked;
      return { outcome: 'done', value: { cash: asked.value.credit, outstanding: asked.value.outstanding } };
    },
    async move({ username, direction, amount }) {
      const text = writeCredits(amount);
      const body = { amount: text, signature: sign(text, username) };
      const word = direction === 'in' ? 'deposit' : 'withdraw';
      const answered = await call({ method: 'POST', word, username, body, answer: moved });
      if (answered.outcome !== 'done') return answered;
      const { before, after } = answered.value;
      const isOurs = answered.value.amount === amount && after - before === (direction === 'in' ? amount : 0n - amount);
      return isOurs
        ? { outcome: 'done', value: { balance: after } }
        : { outcome: 'unknown', note: 'the amounts of the answer are not those of the transfer' };
    },
    check: undefined,
    launch: async ({ username, password, game, language }) => {
      const hash = sign(username, password);
      const query = new URLSearchParams({ username, password, hash, lang: language });
      if (game !== null) query.set('game', game);
      return { outcome: 'done', value: { link: `${config.url}/login/auto/?${query.toString()}` } };
    },
  };
}

type Call<T> = {
  config: AskmebetConfig;
  method: 'GET' | 'POST' | 'PUT';
  word: string;
  username?: string;
  body?: Record<string, string>;
  answer: z.ZodType<T>;
  timeoutMs?: number;
};

async function callAskmebet<T>(request: Call<T>): Promise<Outcome<T>> {
  const { config, method, word, username, body, answer } = request;
  const path = [word, config.key, ...(username === undefined ? [] : [username])].map(encodeURIComponent).join('/');
  const answered = await exchange({
    method,
    url: `${config.url}/v0.1/partner/member/${path}`,
    timeoutMs: request.timeoutMs ?? config.timeoutMs,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  if (answered.outcome !== 'answered') return answered;
  const read = envelope.safeParse(answered.json);
  if (!read.success) return { outcome: 'unknown', note: 'answer of another shape' };
  const { code, result } = read.data;
  if (code === INTERNAL_ERROR) return { outcome: 'unknown', note: `code ${code}` };
  if (code !== DONE) return { outcome: 'refused', reason: REASONS[code] ?? 'declined', note: `code ${code}` };
  const value = answer.safeParse(result);
  return value.success
    ? { outcome: 'done', value: value.data }
    : { outcome: 'unknown', note: 'answer of another shape' };
}

// The provider's signature, not a protection of ours.
const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
