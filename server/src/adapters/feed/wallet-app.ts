import { parseDecimal } from '@krapao/contract/money';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import { callOutside, OutboundFailure } from '../../platform/http/outbound.ts';
import { parseJson } from '../../platform/json.ts';
import type { Feed, FeedEntry, FeedPage, FeedPusher } from './port.ts';
import { evidenceText, optionalText, outsideIdentity, outsideText, storableCursor } from '../outside-text.ts';

/** The wallet app's section of the outside file. */
export const walletAppConfig = z.object({
  url: z.url(),
  apiKey: z.string(),
  accountName: z.string(),
  phone: z.string(),
  webhookSecret: z.string().min(16),
  callbackUrl: z.url(),
  timeoutMs: z.int().positive().max(60_000),
});
export type WalletAppConfig = z.output<typeof walletAppConfig>;

export type WalletAppSettings = { url: string; apiKey: string; webhookSecret: string; timeoutMs: number };

/** House account of the wallet app's money. */
const NAME = 'wallet-app';
const SENDING_BANK = 'WALLET_APP';
const CURRENCY = 'BAHT';
const OK = 200;
const EVIDENCE_MAX = 2_000;
/** A token older than this counts as a replay; the value allows for clock skew. */
const TOKEN_AGE_SECONDS = 300;
const CLOCKS_DIFFER_SECONDS = 30;

const page = z.object({ transactions: z.array(z.unknown()), nextCursor: storableCursor, more: z.boolean() });
const kind = z.object({ type: outsideText(32) });
const transfer = z.object({
  transactionId: outsideIdentity(64),
  sender: z.object({ phone: optionalText(20), name: optionalText(200) }),
  amount: outsideText(40),
  currency: z.literal('THB'),
  at: z.iso.datetime({ offset: true }),
});
const push = z.object({ message: outsideIdentity(8_192) });

/** Money sent to our wallet app account. Gifts are left out: redeeming already accounts for them. */
export function walletAppFeed(settings: WalletAppSettings): Feed {
  return {
    name: NAME,
    currency: CURRENCY,
    patienceMs: settings.timeoutMs,
    async read(cursor, limit) {
      const after = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
      try {
        const reply = await callOutside({
          method: 'GET',
          url: `${settings.url}/transactions?${after}limit=${limit}`,
          headers: { authorization: `Bearer ${settings.apiKey}`, accept: 'application/json' },
          timeoutMs: settings.timeoutMs,
        });
        if (reply.status !== OK) return { page: 'UNKNOWN', reason: `HTTP ${reply.status}` };
        return readPage(JSON.parse(reply.text));
      } catch (error) {
        if (error instanceof OutboundFailure) return { page: 'UNKNOWN', reason: error.message };
        if (error instanceof SyntaxError) return { page: 'UNKNOWN', reason: 'answer is not JSON' };
        throw error;
      }
    },
  };
}

function readPage(body: unknown): FeedPage {
  const parsed = page.safeParse(body);
  if (!parsed.success) return { page: 'UNKNOWN', reason: 'answer is not a page' };
  const lines: FeedEntry[] = [];
  const unreadable: string[] = [];
  for (const raw of parsed.data.transactions) {
    if (kind.safeParse(raw).data?.type === 'GIFT') continue;
    const read = readTransfer(raw);
    const evidence = evidenceText(raw, EVIDENCE_MAX);
    if (read) lines.push({ ...read, evidence });
    else unreadable.push(evidence);
  }
  return { page: 'READ', lines, unreadable, cursor: parsed.data.nextCursor, hasMore: parsed.data.more };
}

function readTransfer(raw: unknown): Omit<FeedEntry, 'evidence'> | undefined {
  const parsed = transfer.safeParse(raw);
  const amount = parsed.success ? parseDecimal(parsed.data.amount) : undefined;
  if (!parsed.success || amount === undefined || amount <= 0n) return undefined;
  const { transactionId: transRef, sender, at } = parsed.data;
  return {
    sendingBank: SENDING_BANK,
    transRef,
    amount,
    currency: CURRENCY,
    sender: { account: sender.phone, name: sender.name },
    reference1: null,
    sentAt: new Date(at),
  };
}

/**
 * The wallet app's notification of received money: a token that only the app can sign, with HS256 as the only accepted
 * algorithm.
 */
export function walletAppPusher({ webhookSecret }: WalletAppSettings, clock: Clock): FeedPusher {
  const key = new TextEncoder().encode(webhookSecret);
  return {
    path: 'wallet-app',
    reply: { ok: true },
    async readPush({ body }) {
      const parsed = push.safeParse(parseJson(body));
      if (!parsed.success) return { reading: 'KEY_MISSING' };
      try {
        await jwtVerify(parsed.data.message, key, {
          algorithms: ['HS256'],
          currentDate: clock.now(),
          maxTokenAge: TOKEN_AGE_SECONDS - CLOCKS_DIFFER_SECONDS,
          clockTolerance: CLOCKS_DIFFER_SECONDS,
        });
        return { reading: 'PUSH', feed: NAME };
      } catch (error) {
        if (error instanceof errors.JOSEError) return { reading: 'KEY_INVALID' };
        throw error;
      }
    },
  };
}
