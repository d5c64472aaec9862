import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { ENDPOINT_CHARACTERS_MAX } from '@krapao/contract/endpoints/notification';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { UserError } from '../platform/errors.ts';
import { OutboundFailure, type OutboundStream, streamOutside } from '../platform/http/outbound.ts';
import { readJsonFile } from '../platform/json.ts';
import type { Clock } from '../platform/time.ts';
import { section } from './outside-fields.ts';
import { encryptForBrowser, P256_CURVE, type PushKeys } from './push-encryption.ts';

export { areUsableKeys, type PushKeys } from './push-encryption.ts';

/** Section `push` of the outside file: a push service that is not a browser vendor's, such as the simulated one. */
export const pushSettings = z
  .object({ url: z.url({ protocol: /^https?$/ }).meta({ description: 'Address that push endpoints begin with' }) })
  .meta(section("A push service that is not a browser vendor's, for trials. Leave it out in production."));
export type PushSettings = z.output<typeof pushSettings>;

export type PushMessage = {
  endpoint: string;
  keys: PushKeys;
  /** Undefined: a message without a text, which every push service accepts. */
  text: string | undefined;
  /** A later message of the same topic replaces one that waits. */
  topic: string;
  ttlMs: number;
  isUrgent: boolean;
};

/**
 * gone: the push service has proved that the subscription ended. too_large: the same message may pass without a text.
 * later: the service was busy or silent, or, as a refusal, did not accept the message or its sender.
 */
export type PushOutcome =
  | { outcome: 'sent' | 'gone' | 'too_large' }
  | { outcome: 'later'; reason: string; inMs: number; isRefusal: boolean };

/** Sends encrypted messages to browsers through their push services. Failures are outcomes and never throw. */
export type PushService = {
  /** Public key of this installation, for subscribing: an uncompressed point in base64url. */
  publicKey: string;
  /** Maximum duration of sending, in ms. */
  patienceMs: number;
  /** The normalized endpoint; undefined when it is not at a known push service. */
  endpointOf(address: string): string | undefined;
  send(message: PushMessage): Promise<PushOutcome>;
};

const TIMEOUT_MS = 10_000;
const TOKEN_LIFE_SECONDS = 12 * 60 * 60;
const TOPIC_CHARACTERS = 32;
const REPLY_CHARACTERS_MAX = 2_000;
const SERVICE_HOSTS = ['fcm.googleapis.com', 'updates.push.services.mozilla.com'];
const SERVICE_DOMAINS = ['.push.apple.com', '.notify.windows.com'];

/** `privateKey`: PKCS #8 in base64. */
const secretsSchema = z.object({ push: z.object({ privateKey: z.base64() }).optional() });

/** Key with which messages are signed, from the secrets file. @throws {UserError} */
export function readPushKey(secretsFile: string): KeyObject | undefined {
  const { push } = readJsonFile(secretsFile, secretsSchema);
  if (!push) return undefined;
  const key = parsePrivateKey(push.privateKey);
  if (key?.asymmetricKeyDetails?.namedCurve === P256_CURVE) return key;
  throw new UserError(
    `${secretsFile} is wrong at push.privateKey (must be a private key on P-256, PKCS #8 in base64).`,
  );
}

function parsePrivateKey(pkcs8: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: Buffer.from(pkcs8, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}

/**
 * @param key private key on P-256, which identifies the installation to push services (VAPID, RFC 8292)
 * @param contact address at which the operator of a push service finds the sender
 */
export function webPush(
  key: KeyObject,
  { contact, clock, settings }: { contact: string; clock: Clock; settings: PushSettings | undefined },
): PushService {
  const publicKey = publicPoint(key).toString('base64url');
  const tokenFor = (origin: string): Promise<string> =>
    new SignJWT({ aud: origin, sub: contact, exp: Math.floor(clock.now().getTime() / 1000) + TOKEN_LIFE_SECONDS })
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .sign(key);
  return {
    publicKey,
    patienceMs: TIMEOUT_MS,
    endpointOf: (address) => allowedEndpoint(address, settings),
    async send({ endpoint, keys, text, topic, ttlMs, isUrgent }) {
      // Checked again: the outside file may have changed since the subscription.
      if (allowedEndpoint(endpoint, settings) !== endpoint)
        return { outcome: 'later', reason: 'endpoint at no known push service', inMs: 0, isRefusal: true };
      const body = text === undefined ? undefined : encryptForBrowser(Buffer.from(text), keys);
      try {
        const {
          status,
          headers,
          body: reply,
        } = await streamOutside({
          method: 'POST',
          url: endpoint,
          headers: {
            authorization: `vapid t=${await tokenFor(new URL(endpoint).origin)}, k=${publicKey}`,
            ttl: String(Math.max(0, Math.floor(ttlMs / 1000))),
            urgency: isUrgent ? 'high' : 'normal',
            topic: createHash('sha256').update(topic).digest('base64url').slice(0, TOPIC_CHARACTERS),
            ...(body ? { 'content-encoding': 'aes128gcm', 'content-type': 'application/octet-stream' } : {}),
          },
          ...(body && { body }),
          timeoutMs: TIMEOUT_MS,
        });
        const reason = isAccepted(status) ? undefined : reasonOf(await readStart(reply));
        await reply.dump().catch(() => undefined);
        return outcomeOf(status, reason, retryDelayMs(String(headers['retry-after'] ?? ''), clock.now()));
      } catch (error) {
        if (error instanceof OutboundFailure)
          return { outcome: 'later', reason: error.message, inMs: 0, isRefusal: false };
        throw error;
      }
    },
  };
}

function publicPoint(key: KeyObject): Buffer {
  const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

/** Clients choose the endpoint, so only addresses of push services are called. */
function allowedEndpoint(address: string, settings: PushSettings | undefined): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // Normalizing may have lengthened it.
  if (url.href.length > ENDPOINT_CHARACTERS_MAX) return undefined;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (settings && url.href.startsWith(`${settings.url}/`)) return url.href;
  const isService =
    SERVICE_HOSTS.includes(url.hostname) || SERVICE_DOMAINS.some((domain) => url.hostname.endsWith(domain));
  return url.protocol === 'https:' && url.port === '' && isService ? url.href : undefined;
}

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

const ENDED_STATUSES = [404, 410];
/** Reasons of Apple and Google for an ended subscription, in small letters. */
const ENDED_REASONS = ['unregistered', 'expiredtoken', 'notregistered'];
/** Reasons for 404 that concern the request: the subscription may be live. */
const OTHER_REASONS = ['badpath'];

function outcomeOf(status: number, replyReason: string | undefined, retryAfterMs: number): PushOutcome {
  if (isAccepted(status)) return { outcome: 'sent' };
  const foldedReason = replyReason?.toLowerCase() ?? '';
  const isEnded = ENDED_STATUSES.includes(status) && !OTHER_REASONS.includes(foldedReason);
  // A 5xx reports the service's own trouble, whatever its body says.
  if (isEnded || (status < 500 && ENDED_REASONS.includes(foldedReason))) return { outcome: 'gone' };
  if (status === 413) return { outcome: 'too_large' };
  const reason = replyReason === undefined ? `HTTP ${status}` : `HTTP ${status} ${replyReason}`;
  return { outcome: 'later', reason, inMs: retryAfterMs, isRefusal: status !== 429 && status < 500 };
}

/** Reads the beginning of a body; its reasons are short. */
async function readStart(body: OutboundStream['body']): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += String(chunk);
      if (text.length >= REPLY_CHARACTERS_MAX) break;
    }
  } catch {
    // An unreadable body has no reason.
  }
  return text.slice(0, REPLY_CHARACTERS_MAX);
}

/** Field `reason` of a JSON reply, as Apple sends. Other texts could name the endpoint. */
function reasonOf(text: string): string | undefined {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' && /^\w{1,40}$/.test(reason) ? reason : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After is a number of seconds or a date. */
function retryDelayMs(retryAfter: string, now: Date): number {
  if (/^\d{1,8}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - now.getTime());
}
