import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { MONEY_KEY } from '@krapao/contract/rules';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../platform/http/outbound.ts';
import { type RawBody, parseJson } from '../platform/json.ts';
import type { Clock } from '../platform/time.ts';
import { apiUrl, callbackUrl, issued, section, timeoutMs } from './outside-fields.ts';
import { failedProbe, PROVEN, type Probe, type ProbeOutcome } from './probe.ts';

/** A customer's message to the chat backend. */
export type ForwardedMessage = {
  id: string;
  conversation: string;
  /** Room of the conversation on the backend's own socket. */
  room: string;
  sequence: number;
  /** The name, username and device token of a visitor are self-declared. */
  customer: { kind: 'member' | 'visitor'; name: string; username: string; deviceToken: string };
  message: CustomerMessage;
  /** Key of the movement of money that the message is about. */
  reference?: string;
  createdAt: string;
};

/**
 * ACCEPTED: the backend stored the message. REFUSED: the message is not acceptable. Other outcomes do not concern the
 * message.
 */
export type ForwardOutcome = { outcome: 'accepted' } | { outcome: 'refused' | 'unknown'; reason: string };

export type BackendCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: RawBody };

/** A reply of support staff or robot; its message is unvalidated. */
export type BackendReply = { id: string; conversation: string; message: unknown } & ReplyAuthor;

/** Author of a reply. `needsPerson`: the customer still needs a person after a robot's reply. */
export type ReplyAuthor = { author: 'person' | 'robot'; needsPerson: boolean };

/** A request for the movement that a message of a conversation names. */
export type MovementCallReading =
  | { reading: 'MOVEMENT'; conversation: string; reference: string }
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' };

export type BackendCallReading =
  | ({ reading: 'ANSWER' } & BackendReply)
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' };

/** The external service where support staff read and reply. Its failures are outcomes and never throw. */
export type ChatBackend = {
  /** Maximum duration of sending, in ms. */
  patienceMs: number;
  /** Idempotent: the same message may be sent repeatedly. */
  forward(message: ForwardedMessage): Promise<ForwardOutcome>;
  /** Asks for the backend's status. */
  probe?: Probe;
  readCallback(callback: BackendCallback): BackendCallReading;
  readMovementCall(callback: BackendCallback): MovementCallReading;
  /** URL and ticket with which the customer's browser joins a room. */
  admit(room: string): Promise<{ url: string; ticket: string }>;
};

export type SigningSettings = { key: string; secret: string };

const HEADER_NAMES = { key: 'x-chat-key', timestamp: 'x-chat-timestamp', signature: 'x-chat-signature' } as const;
const SECONDS_APART_MAX = 300;

const signatureOf = (secret: string, seconds: string, body: RawBody): Buffer =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();

/** Headers that authenticate a body and its time. */
export function signedHeaders({ key, secret }: SigningSettings, clock: Clock, body: string): Record<string, string> {
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  return {
    [HEADER_NAMES.key]: key,
    [HEADER_NAMES.timestamp]: seconds,
    [HEADER_NAMES.signature]: signatureOf(secret, seconds, body).toString('hex'),
  };
}

/** Verifies signature and age of a callback. An old signature is refused, because it may be a replay. */
export function verifySignature(
  { key, secret }: SigningSettings,
  clock: Clock,
  { headers, body }: BackendCallback,
): 'VALID' | 'KEY_MISSING' | 'KEY_INVALID' {
  const receivedHeaders = {
    key: headers[HEADER_NAMES.key],
    seconds: headers[HEADER_NAMES.timestamp],
    signature: headers[HEADER_NAMES.signature],
  };
  if (Object.values(receivedHeaders).some((header) => header === undefined || header === '')) return 'KEY_MISSING';
  const seconds = String(receivedHeaders.seconds);
  const signature = String(receivedHeaders.signature);
  const isWellFormed = /^\d{1,12}$/.test(seconds) && /^[0-9a-f]{64}$/i.test(signature);
  const secondsApart = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  if (!isWellFormed || receivedHeaders.key !== key || secondsApart > SECONDS_APART_MAX) return 'KEY_INVALID';
  const isRight = timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(secret, seconds, body));
  return isRight ? 'VALID' : 'KEY_INVALID';
}

const CHAT_PROOF = 'HMAC-SHA256 with `secret`, at most five minutes old';

/** Section `chatBackend` of the outside file. */
export const chatBackendConfig = z
  .object({
    url: apiUrl,
    key: issued('Key that identifies the operator'),
    secret: z.string().min(16).meta({ description: 'Key of the signatures of both sides, at least 16 characters' }),
    socketUrl: z.url({ protocol: /^https?$/ }).meta({
      description: 'Socket from which browsers receive typing indicators',
      examples: ['https://chat.example.com'],
    }),
    callbackUrl,
    timeoutMs,
  })
  .meta(
    section('Service where support staff read and answer the chat. Without it they use `krapao chat`.', [
      { address: '/api/callback/chat', proof: CHAT_PROOF },
      { address: '/api/callback/chat/movement', proof: CHAT_PROOF },
    ]),
  );
type BackendSettings = z.output<typeof chatBackendConfig>;

const TICKET_SECONDS = 12 * 60 * 60;

/** Statuses that concern the body itself. Others concern the sender or are temporary. */
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

/** The call is optional for a backend. */
const MISSING_STATUS = 404;

const statusReply = z.object({ accepting: z.literal(true) });
const acceptedReply = z.object({ accepted: z.literal(true) });
const name = z.string().regex(/^[!-~]{1,64}$/);
const callbackBody = z.object({
  id: name,
  conversation: name,
  message: z.unknown(),
  author: z.enum(['person', 'robot']).default('person'),
  needsPerson: z.boolean().default(false),
});
const movementBody = z.object({ conversation: name, reference: z.string().regex(MONEY_KEY) });

/** Client of the chat backend. Both sides sign the exact bytes of their bodies. */
export function signedBackend(settings: BackendSettings, clock: Clock): ChatBackend {
  const ticketKey = new TextEncoder().encode(settings.secret);
  return {
    patienceMs: settings.timeoutMs,
    forward: (message) => forwardMessage(settings, clock, message),
    probe: () => probeStatus(settings, clock),
    readCallback: (callback) => readCallback(settings, clock, callback),
    readMovementCall: (callback) => readMovementCall(settings, clock, callback),
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

async function forwardMessage(
  settings: BackendSettings,
  clock: Clock,
  message: ForwardedMessage,
): Promise<ForwardOutcome> {
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
    if (status !== 200)
      return { outcome: REFUSAL_STATUSES.has(status) ? 'refused' : 'unknown', reason: `HTTP ${status}` };
    const isAccepted = acceptedReply.safeParse(parseJson(text)).success;
    return isAccepted ? { outcome: 'accepted' } : { outcome: 'unknown', reason: 'malformed reply' };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: 'unknown', reason: error.message };
    throw error;
  }
}

async function probeStatus(settings: BackendSettings, clock: Clock): Promise<ProbeOutcome> {
  try {
    const { status, text } = await callOutside({
      method: 'GET',
      url: `${settings.url}/v1/status`,
      headers: { accept: 'application/json', ...signedHeaders(settings, clock, '') },
      timeoutMs: settings.timeoutMs,
    });
    if (status === MISSING_STATUS)
      return { outcome: 'unproven', reason: 'HTTP 404: it has no call /v1/status, or `chatBackend.url` is wrong' };
    if (status !== 200) return failedProbe(`HTTP ${status}`);
    return statusReply.safeParse(parseJson(text)).success ? PROVEN : failedProbe('malformed reply');
  } catch (error) {
    if (error instanceof OutboundFailure) return failedProbe(error.message);
    throw error;
  }
}

function readCallback(settings: BackendSettings, clock: Clock, callback: BackendCallback): BackendCallReading {
  const signatureCheck = verifySignature(settings, clock, callback);
  if (signatureCheck !== 'VALID') return { reading: signatureCheck };
  const result = callbackBody.safeParse(parseJson(callback.body));
  return result.success
    ? { reading: 'ANSWER', ...result.data, message: result.data.message }
    : { reading: 'MALFORMED' };
}

function readMovementCall(settings: BackendSettings, clock: Clock, callback: BackendCallback): MovementCallReading {
  const signatureCheck = verifySignature(settings, clock, callback);
  if (signatureCheck !== 'VALID') return { reading: signatureCheck };
  const result = movementBody.safeParse(parseJson(callback.body));
  return result.success ? { reading: 'MOVEMENT', ...result.data } : { reading: 'MALFORMED' };
}
