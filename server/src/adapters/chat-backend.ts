import { type RawBody, parseJson } from '../platform/json.ts';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../platform/time.ts';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../platform/http/outbound.ts';

/** A customer's message, as it is sent to the chat backend. */
export type ForwardedMessage = {
  id: string;
  conversation: string;
  /** The conversation's room at the backend's own socket. */
  room: string;
  sequence: number;
  /** Name, username and device token of a visitor are self-declared. */
  customer: { kind: 'member' | 'visitor'; name: string; username: string; deviceToken: string };
  message: CustomerMessage;
  createdAt: string;
};

/** ACCEPTED: stored there. REFUSED: this message is not acceptable. Any other outcome is not about the message. */
export type ForwardOutcome = { outcome: 'ACCEPTED' } | { outcome: 'REFUSED' | 'UNKNOWN'; reason: string };

/** A raw callback. */
export type BackendCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: RawBody };

/** An answer of the other side; its message is unvalidated. */
export type BackendReply = { id: string; conversation: string; message: unknown } & ReplyAuthor;

/** Author of a reply; `needsPerson`: the customer still needs a person after a robot's reply. */
export type ReplyAuthor = { author: 'person' | 'robot'; needsPerson: boolean };

export type BackendCallReading =
  | ({ reading: 'ANSWER' } & BackendReply)
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' };

/** The outside service where support staff read and answer. Nothing here throws on its failures. */
export type ChatBackend = {
  /** Maximum duration of sending, in ms. */
  patienceMs: number;
  /** Idempotent: the same message may be sent repeatedly. */
  forward(message: ForwardedMessage): Promise<ForwardOutcome>;
  readCallback(callback: BackendCallback): BackendCallReading;
  /** Address and credentials of the customer's room for their browser. */
  admit(room: string): Promise<{ url: string; ticket: string }>;
};

export type SigningSettings = { key: string; secret: string };

const NAMES = { key: 'x-chat-key', timestamp: 'x-chat-timestamp', signature: 'x-chat-signature' } as const;
const SECONDS_APART_MAX = 300;

const signatureOf = (secret: string, seconds: string, body: RawBody): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();

/** The headers that authenticate a body and its time. */
export function signedHeaders({ key, secret }: SigningSettings, clock: Clock, body: string): Record<string, string> {
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  return {
    [NAMES.key]: key,
    [NAMES.timestamp]: seconds,
    [NAMES.signature]: signatureOf(secret, seconds, body).toString('hex'),
  };
}

/** Whether the backend sent this recently. An old signature is refused, because it may be a replay. */
export function verifySignature(
  { key, secret }: SigningSettings,
  clock: Clock,
  { headers, body }: BackendCallback,
): 'VALID' | 'KEY_MISSING' | 'KEY_INVALID' {
  const sent = { key: headers[NAMES.key], seconds: headers[NAMES.timestamp], signature: headers[NAMES.signature] };
  if (Object.values(sent).some((header) => header === undefined || header === '')) return 'KEY_MISSING';
  const seconds = String(sent.seconds);
  const signature = String(sent.signature);
  const isWellFormed = /^\d{1,12}$/.test(seconds) && /^[0-9a-f]{64}$/i.test(signature);
  const secondsApart = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  if (!isWellFormed || sent.key !== key || secondsApart > SECONDS_APART_MAX) return 'KEY_INVALID';
  const isRight = timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(secret, seconds, body));
  return isRight ? 'VALID' : 'KEY_INVALID';
}

/** The chat backend's section of the outside file. */
export const chatBackendConfig = z.object({
  url: z.url(),
  key: z.string(),
  /** Key that both sides sign with. */
  secret: z.string().min(16),
  /** Socket on which browsers receive typing indicators. */
  socketUrl: z.url({ protocol: /^https?$/ }),
  callbackUrl: z.url(),
  timeoutMs: z.int().positive().max(60_000),
});
type Settings = z.output<typeof chatBackendConfig>;

const TICKET_SECONDS = 12 * 60 * 60;

/** Statuses about the body itself. Others concern the sender or are temporary. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

const accepted = z.object({ accepted: z.literal(true) });
const name = z.string().regex(/^[!-~]{1,64}$/);
const answer = z.object({
  id: name,
  conversation: name,
  message: z.unknown(),
  author: z.enum(['person', 'robot']).default('person'),
  needsPerson: z.boolean().default(false),
});

/** The chat backend; both sides sign the exact bytes of their bodies. */
export function signedBackend(settings: Settings, clock: Clock): ChatBackend {
  const ticketKey = new TextEncoder().encode(settings.secret);
  return {
    patienceMs: settings.timeoutMs,
    forward: (message) => forward(settings, clock, message),
    readCallback: (callback) => readCallback(settings, clock, callback),
    async admit(room) {
      const expiresAt = Math.floor(clock.now().getTime() / 1000) + TICKET_SECONDS;
      const ticket = await new SignJWT({ room })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(expiresAt)
        .sign(ticketKey);
      return { url: settings.socketUrl, ticket };
    },
  };
}

async function forward(settings: Settings, clock: Clock, message: ForwardedMessage): Promise<ForwardOutcome> {
  const body = JSON.stringify(message);
  try {
    const { status, text } = await callOutside({
      method: 'POST',
      url: `${settings.url}/v1/messages`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...signedHeaders(settings, clock, body),
      },
      body,
      timeoutMs: settings.timeoutMs,
    });
    if (status !== 200) return { outcome: REFUSALS.has(status) ? 'REFUSED' : 'UNKNOWN', reason: `HTTP ${status}` };
    const isAccepted = accepted.safeParse(parseJson(text)).success;
    return isAccepted ? { outcome: 'ACCEPTED' } : { outcome: 'UNKNOWN', reason: 'malformed answer' };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: 'UNKNOWN', reason: error.message };
    throw error;
  }
}

function readCallback(settings: Settings, clock: Clock, callback: BackendCallback): BackendCallReading {
  const verdict = verifySignature(settings, clock, callback);
  if (verdict !== 'VALID') return { reading: verdict };
  const parsed = answer.safeParse(parseJson(callback.body));
  return parsed.success
    ? { reading: 'ANSWER', ...parsed.data, message: parsed.data.message }
    : { reading: 'MALFORMED' };
}
