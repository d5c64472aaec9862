import { type Currency, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import { parseJson } from '../../platform/json.ts';
import { type BankSettings, callBank, verifyCallback } from '../bank-client.ts';
import type { Feed, FeedEntry, FeedPage, FeedPusher } from './port.ts';
import { evidenceText, optionalText, outsideIdentity, outsideText, storableCursor } from '../outside-text.ts';

type Account = { bankCode: string; accountNo: string; currency: Currency };
export type BankFeedSettings = BankSettings & { callbackSecret: string; accounts: readonly Account[] };

const CURRENCIES: Readonly<Record<string, Currency>> = { THB: 'BAHT', LAK: 'LAK' };
const OK = 200;
/** Maximum stored characters of a line that an operator settles. */
const EVIDENCE_MAX = 2_000;

export const houseAccountName = ({ bankCode, accountNo }: { bankCode: string; accountNo: string }): string =>
  `bank:${bankCode}-${accountNo}`;

const page = z.object({ lines: z.array(z.unknown()), nextCursor: storableCursor, more: z.boolean() });
const direction = z.object({ direction: z.enum(['in', 'out']) });
const line = z.object({
  transRef: outsideIdentity(64),
  sendingBank: z.string().regex(/^\d{3}$/),
  amount: outsideText(40),
  currency: outsideText(8),
  at: z.iso.datetime({ offset: true }),
  from: z.object({ accountNo: optionalText(64), name: optionalText(200) }).nullable(),
  reference1: outsideText(64).nullable(),
});
const push = z.object({ account: z.object({ bankCode: outsideText(32), accountNo: outsideText(64) }) });

/** The lines of one of our accounts at the bank, in the bank's order. */
export function bankFeed(settings: BankFeedSettings, account: Account, clock: Clock): Feed {
  const ask = callBank(settings, clock);
  return {
    name: houseAccountName(account),
    currency: account.currency,
    patienceMs: settings.timeoutMs,
    async read(cursor, limit) {
      const after = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
      const path = `/feed/${encodeURIComponent(account.bankCode)}/${encodeURIComponent(account.accountNo)}?${after}limit=${limit}`;
      const answer = await ask('GET', path);
      if (answer.outcome !== 'answered') return { page: 'UNKNOWN', reason: answer.note };
      if (answer.status !== OK) return { page: 'UNKNOWN', reason: `HTTP ${answer.status}` };
      return readPage(answer.body, account.currency);
    },
  };
}

function readPage(body: unknown, currency: Currency): FeedPage {
  const parsed = page.safeParse(body);
  if (!parsed.success) return { page: 'UNKNOWN', reason: 'answer is not a page' };
  const lines: FeedEntry[] = [];
  const unreadable: string[] = [];
  for (const raw of parsed.data.lines) {
    const way = direction.safeParse(raw);
    // Outgoing lines belong to payouts, not to the feed.
    if (way.success && way.data.direction === 'out') continue;
    const read = way.success ? readLine(raw, currency) : undefined;
    const evidence = evidenceText(raw, EVIDENCE_MAX);
    if (read) lines.push({ ...read, evidence });
    else unreadable.push(evidence);
  }
  return { page: 'READ', lines, unreadable, cursor: parsed.data.nextCursor, hasMore: parsed.data.more };
}

function readLine(raw: unknown, accountCurrency: Currency): Omit<FeedEntry, 'evidence'> | undefined {
  const parsed = line.safeParse(raw);
  if (!parsed.success) return undefined;
  const { transRef, sendingBank, at, from, reference1 } = parsed.data;
  const amount = parseDecimal(parsed.data.amount);
  const currency = CURRENCIES[parsed.data.currency];
  // An account only receives its own currency: a line in another one is an error.
  if (amount === undefined || amount <= 0n || currency !== accountCurrency) return undefined;
  const sender = { account: from?.accountNo ?? '', name: from?.name ?? '' };
  return { sendingBank, transRef, amount, currency, sender, reference1, sentAt: new Date(at) };
}

/** The bank's notification of a new line. */
export function bankFeedPusher(settings: BankFeedSettings, clock: Clock): FeedPusher {
  return {
    path: 'bank-feed',
    reply: { ok: true },
    async readPush(call) {
      const verdict = verifyCallback(settings.callbackSecret, clock, call);
      if (verdict !== 'VALID') return { reading: verdict };
      const parsed = push.safeParse(parseJson(call.body));
      if (!parsed.success) return { reading: 'MALFORMED' };
      const named = houseAccountName(parsed.data.account);
      const isOurs = settings.accounts.some((account) => houseAccountName(account) === named);
      return { reading: 'PUSH', feed: isOurs ? named : undefined };
    },
  };
}
