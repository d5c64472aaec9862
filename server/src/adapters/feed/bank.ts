import { type Currency, CURRENCY_CODES, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';
import type { Clock } from '../../platform/time.ts';
import { type BankSettings, callBank, verifyCallback } from '../bank-client.ts';
import {
  evidenceText,
  optionalText,
  outsideIdentity,
  outsideText,
  outsideTime,
  storableCursor,
} from '../outside-text.ts';
import { type Feed, type FeedEntry, type FeedPage, type FeedPusher, probeByReading } from './port.ts';

type FeedAccount = { bankCode: string; accountNo: string; currency: Currency };
export type BankFeedSettings = BankSettings & { callbackSecret: string; accounts: readonly FeedAccount[] };

const OK_STATUS = 200;
/** Maximum stored characters of a line that an operator settles. */
const EVIDENCE_CHARACTERS_MAX = 2_000;

export const houseAccountName = ({ bankCode, accountNo }: { bankCode: string; accountNo: string }): string =>
  `bank:${bankCode}-${accountNo}`;

const page = z.object({ lines: z.array(z.unknown()), nextCursor: storableCursor, more: z.boolean() });
const entryDirection = z.object({ direction: z.enum(['in', 'out']) });
const incomingEntry = z.object({
  transRef: outsideIdentity(64),
  sendingBank: z.string().regex(/^\d{3}$/),
  amount: outsideText(40),
  currency: outsideText(8),
  at: outsideTime,
  from: z.object({ accountNo: optionalText(64), name: optionalText(200) }).nullable(),
  reference1: outsideText(64).nullable(),
});
const pushBody = z.object({ account: z.object({ bankCode: outsideText(32), accountNo: outsideText(64) }) });

/** Feed of one operator account at the bank, in the bank's order. */
export function bankFeed(settings: BankFeedSettings, account: FeedAccount, clock: Clock): Feed {
  const call = callBank(settings, clock);
  const read: Feed['read'] = async (cursor, limit) => {
    const cursorQuery = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    const path = `/feed/${encodeURIComponent(account.bankCode)}/${encodeURIComponent(account.accountNo)}?${cursorQuery}limit=${limit}`;
    const reply = await call('GET', path);
    if (reply.outcome !== 'answered') return { page: 'UNKNOWN', reason: reply.note };
    if (reply.status !== OK_STATUS) return { page: 'UNKNOWN', reason: `HTTP ${reply.status}` };
    return readPage(reply.body, account.currency);
  };
  return {
    name: houseAccountName(account),
    currency: account.currency,
    patienceMs: settings.timeoutMs,
    read,
    probe: () => probeByReading(read),
  };
}

function readPage(body: unknown, currency: Currency): FeedPage {
  const parsedPage = page.safeParse(body);
  if (!parsedPage.success) return { page: 'UNKNOWN', reason: 'answer is not a page' };
  const feedEntries: FeedEntry[] = [];
  const unreadableLines: string[] = [];
  for (const rawLine of parsedPage.data.lines) {
    const parsedDirection = entryDirection.safeParse(rawLine);
    // Outgoing lines belong to payouts, not to the feed.
    if (parsedDirection.success && parsedDirection.data.direction === 'out') continue;
    const read = parsedDirection.success ? readLine(rawLine, currency) : undefined;
    const evidence = evidenceText(rawLine, EVIDENCE_CHARACTERS_MAX);
    if (read) feedEntries.push({ ...read, evidence });
    else unreadableLines.push(evidence);
  }
  return {
    page: 'READ',
    lines: feedEntries,
    unreadable: unreadableLines,
    cursor: parsedPage.data.nextCursor,
    hasMore: parsedPage.data.more,
  };
}

function readLine(rawLine: unknown, currency: Currency): Omit<FeedEntry, 'evidence'> | undefined {
  const parsedEntry = incomingEntry.safeParse(rawLine);
  if (!parsedEntry.success) return undefined;
  const { transRef, sendingBank, at, from, reference1, currency: currencyCode } = parsedEntry.data;
  const amount = parseDecimal(parsedEntry.data.amount);
  // An account receives only its own currency: a line in another one is an error.
  if (amount === undefined || amount <= 0n || currencyCode !== CURRENCY_CODES[currency]) return undefined;
  const sender = { account: from?.accountNo ?? '', name: from?.name ?? '' };
  return { sendingBank, transRef, amount, currency, sender, reference1, sentAt: at };
}

/** Receives the bank's notifications of new lines. */
export function bankFeedPusher(settings: BankFeedSettings, clock: Clock): FeedPusher {
  return {
    path: 'bank-feed',
    reply: { ok: true },
    async readPush(call) {
      const signatureCheck = verifyCallback(settings.callbackSecret, clock, call);
      if (signatureCheck !== 'VALID') return { reading: signatureCheck };
      const parsedPush = pushBody.safeParse(parseJson(call.body));
      if (!parsedPush.success) return { reading: 'MALFORMED' };
      const houseAccount = houseAccountName(parsedPush.data.account);
      const isOurs = settings.accounts.some((account) => houseAccountName(account) === houseAccount);
      return { reading: 'PUSH', feed: isOurs ? houseAccount : undefined };
    },
  };
}
