import { SignJWT } from 'jose';
import { z } from 'zod';
import type { Outside } from '../../outside.ts';
import type { Clock } from '../../platform/clock.ts';
import { callOutside, OutboundFailure } from '../../platform/http/outbound.ts';
import { parseJson } from '../../platform/parse-json.ts';
import type { BackendCallback, BackendCallReading, ChatBackend, ForwardedMessage, ForwardOutcome } from './port.ts';
import { signedHeaders, verifySignature } from './signature.ts';

type Settings = NonNullable<Outside['chatBackend']>;

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
