import { type Clock, later } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';
import { KNOWN_IDENTIFIER_MS, numberRanges } from './otp.ts';
import { type KnownIdentifier, findKnownIdentifiers } from './queries.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken, newToken } from '../../platform/ids.ts';

export type CountDeps = { database: Database; clock: Clock; rateLimits: RateLimits };

/** A code that is about to go out: to which phone, for whom, and whether the phone had one in the last hour. */
export type Send = { phone: string; caller: Caller; device: string | undefined; isFirstInWindow: boolean };

/** Codes sent for an address that have not been typed yet; reset when one is. */
export const unansweredLimit = (data: SiteConfig, caller: Caller): Limit =>
  data.limitFor('otp.unanswered.address', caller.group);

/**
 * Counts a message before it is sent, because each costs money. Callers who have proved a phone before, by their phone,
 * device or network, are held by the limit of all messages alone; strangers also by one that is lower, so that a share
 * is always left for those who are known, and by one on adjacent numbers. A network from which many codes were ordered
 * and none typed counts as a stranger.
 * @throws {Refusal} OTP_BLOCK
 */
export async function limitSend(deps: CountDeps, data: SiteConfig, send: Send): Promise<void> {
  const { rateLimits } = deps;
  const { phone, caller, device, isFirstInWindow } = send;
  const known = await knownOf(deps, send);
  const unanswered = unansweredLimit(data, caller);
  await rateLimits.hit(
    device !== undefined && known.has('device')
      ? data.limitFor('otp.send.device', deviceName(device))
      : data.limitFor('otp.send.address', caller.group),
  );
  const isTrusted =
    known.has('phone') ||
    known.has('device') ||
    (known.has('address') && (await rateLimits.used(unanswered)) < unanswered.max);
  if (!isTrusted) {
    // Another code for the same phone is no further number.
    if (isFirstInWindow) {
      for (const range of numberRanges(phone)) await rateLimits.hit(data.limitFor('otp.send.range', range));
    }
    await rateLimits.hit(data.limitFor('otp.send.strangers'));
  }
  await rateLimits.hit(data.limitFor('otp.send.all'));
  await countUnanswered(rateLimits, unanswered);
}

async function knownOf({ database, clock }: CountDeps, { phone, caller, device }: Send) {
  return findKnownIdentifiers(
    database,
    knownIdentifiers(phone, caller, device),
    later(clock.now(), -KNOWN_IDENTIFIER_MS),
  );
}

/** What a caller can be known by. */
export const knownIdentifiers = (phone: string, caller: Caller, device: string | undefined): KnownIdentifier[] => [
  { kind: 'phone', name: phone },
  { kind: 'address', name: caller.group },
  ...(device === undefined ? [] : [{ kind: 'device' as const, name: deviceName(device) }]),
];

// One past the limit says no more than that it is reached.
async function countUnanswered(rateLimits: RateLimits, limit: Limit): Promise<void> {
  try {
    await rateLimits.hit(limit);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const COOKIE = 'device';
const TOKEN = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`);

/** The token of the calling device, when it has proved a phone before; it grants no access. */
export const readDevice = (request: FastifyRequest): string | undefined =>
  TOKEN.exec(request.headers.cookie ?? '')?.[1];

/** What is kept of a device's token. */
export const deviceName = (token: string): string => hashToken(token).toString('hex');

/** Issues a token to a device that proves a phone, or extends its existing one. */
export function rememberDevice(request: FastifyRequest, reply: FastifyReply): string {
  const token = readDevice(request) ?? newToken();
  const secure = request.protocol === 'https' ? '; Secure' : '';
  // Scripts can't read it, and it goes nowhere but to the calls of one-time codes.
  const attributes = `Path=/api/otp; Max-Age=${KNOWN_IDENTIFIER_MS / 1000}; HttpOnly; SameSite=Strict${secure}`;
  void reply.header('set-cookie', `${COOKIE}=${token}; ${attributes}`);
  return token;
}
