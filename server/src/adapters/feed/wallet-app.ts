import { parseDecimal } from '@krapao/contract/money';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../../platform/http/outbound.ts';
import { parseJson } from '../../platform/json.ts';
import type { Clock } from '../../platform/time.ts';
import { apiUrl, callbackUrl, issued, section, timeoutMs } from '../outside-fields.ts';
import {
  evidenceText,
  optionalText,
  outsideIdentity,
  outsideText,
  outsideTime,
  storableCursor,
} from '../outside-text.ts';
import { type Feed, type FeedEntry, type FeedPage, type FeedPusher, probeByReading } from './port.ts';

/** Section walletApp of the outside file. */
export const walletAppConfig = z
  .object({
    url: apiUrl,
    apiKey: issued('Key of API calls'),
    accountName: issued('Holder of the business account', 'EXAMPLE'),
    phone: issued('Phone of the business account: members pay to it', '0812345678'),
    webhookSecret: z.string().min(16).meta({ description: 'Key of callback tokens, at least 16 characters' }),
    callbackUrl,
    timeoutMs,
  })
  .meta(
    section("The wallet app's business account: transfers to its phone, and gift links.", [
      { address: '/api/callback/wallet-app', proof: 'a JWT (HS256) with `webhookSecret`, at most five minutes old' },
    ]),
  );
export type WalletAppConfig = z.output<typeof walletAppConfig>;

export type WalletAppSettings = { url: string; apiKey: string; webhookSecret: string; timeoutMs: number };

/** House account of the wallet app's money. */
const HOUSE_ACCOUNT = 'wallet-app';
const SENDING_BANK = 'WALLET_APP';
const CURRENCY = 'BAHT';
const OK_STATUS = 200;
const EVIDENCE_CHARACTERS_MAX = 2_000;
/** Age from which a token counts as a replay; allows for clock skew. */
const TOKEN_AGE_SECONDS = 300;
const CLOCKS_DIFFER_SECONDS = 30;

const page = z.object({ transactions: z.array(z.unknown()), nextCursor: storableCursor, more: z.boolean() });
const entryKind = z.object({ type: outsideText(32) });
const transfer = z.object({
  transactionId: outsideIdentity(64),
  sender: z.object({ phone: optionalText(20), name: optionalText(200) }),
  amount: outsideText(40),
  currency: z.literal('THB'),
  at: outsideTime,
});
const pushBody = z.object({ message: outsideIdentity(8_192) });

/** Money sent to the operator's wallet. Gifts are excluded, because their redemption credits them. */
export function walletAppFeed(settings: WalletAppSettings): Feed {
  const read: Feed['read'] = async (cursor, limit) => {
    const cursorQuery = cursor === '' ? '' : `after=${encodeURIComponent(cursor)}&`;
    try {
      const reply = await callOutside({
        method: 'GET',
        url: `${settings.url}/transactions?${cursorQuery}limit=${limit}`,
        headers: { authorization: `Bearer ${settings.apiKey}`, accept: 'application/json' },
        timeoutMs: settings.timeoutMs,
      });
      if (reply.status !== OK_STATUS) return { page: 'UNKNOWN', reason: `HTTP ${reply.status}` };
      return readPage(JSON.parse(reply.text));
    } catch (error) {
      if (error instanceof OutboundFailure) return { page: 'UNKNOWN', reason: error.message };
      if (error instanceof SyntaxError) return { page: 'UNKNOWN', reason: 'reply is not JSON' };
      throw error;
    }
  };
  return {
    name: HOUSE_ACCOUNT,
    currency: CURRENCY,
    patienceMs: settings.timeoutMs,
    read,
    probe: () => probeByReading(read),
  };
}

function readPage(body: unknown): FeedPage {
  const parsedPage = page.safeParse(body);
  if (!parsedPage.success) return { page: 'UNKNOWN', reason: 'answer is not a page' };
  const feedEntries: FeedEntry[] = [];
  const unreadableLines: string[] = [];
  for (const rawTransaction of parsedPage.data.transactions) {
    if (entryKind.safeParse(rawTransaction).data?.type === 'GIFT') continue;
    const read = readTransfer(rawTransaction);
    const evidence = evidenceText(rawTransaction, EVIDENCE_CHARACTERS_MAX);
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

function readTransfer(rawTransaction: unknown): Omit<FeedEntry, 'evidence'> | undefined {
  const parsedTransfer = transfer.safeParse(rawTransaction);
  const amount = parsedTransfer.success ? parseDecimal(parsedTransfer.data.amount) : undefined;
  if (!parsedTransfer.success || amount === undefined || amount <= 0n) return undefined;
  const { transactionId: transRef, sender, at } = parsedTransfer.data;
  return {
    sendingBank: SENDING_BANK,
    transRef,
    amount,
    currency: CURRENCY,
    sender: { account: sender.phone, name: sender.name },
    reference1: null,
    sentAt: at,
  };
}

/**
 * Receives the wallet app's notifications of received money: a JWT signed by the app, with HS256 as the only accepted
 * algorithm.
 */
export function walletAppPusher({ webhookSecret }: WalletAppSettings, clock: Clock): FeedPusher {
  const key = new TextEncoder().encode(webhookSecret);
  return {
    path: 'wallet-app',
    reply: { ok: true },
    async readPush({ body }) {
      const parsedPush = pushBody.safeParse(parseJson(body));
      if (!parsedPush.success) return { reading: 'KEY_MISSING' };
      try {
        await jwtVerify(parsedPush.data.message, key, {
          algorithms: ['HS256'],
          currentDate: clock.now(),
          maxTokenAge: TOKEN_AGE_SECONDS - CLOCKS_DIFFER_SECONDS,
          clockTolerance: CLOCKS_DIFFER_SECONDS,
        });
        return { reading: 'PUSH', feed: HOUSE_ACCOUNT };
      } catch (error) {
        if (error instanceof errors.JOSEError) return { reading: 'KEY_INVALID' };
        throw error;
      }
    },
  };
}
