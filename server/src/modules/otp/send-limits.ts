import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import { hashToken, newToken } from '../../platform/ids.ts';
import { type Clock, later } from '../../platform/time.ts';
import type { OperatorData } from '../operator-data/index.ts';
import { KNOWN_IDENTIFIER_LIFETIME_MS, numberRanges } from './otp.ts';
import { type KnownIdentifier, findKnownIdentifiers } from './queries.ts';

export type CountDeps = { database: Database; clock: Clock; rateLimits: RateLimits };

/** A code that is about to be sent. `isFirstInWindow`: the phone got no code in the last hour. */
export type PendingSend = { phone: string; caller: Caller; device: string | undefined; isFirstInWindow: boolean };

/** Limit of codes sent for an address but not entered; entering one resets the count. */
export const unansweredCodesLimit = (operatorData: OperatorData, caller: Caller): Limit =>
  operatorData.limitFor('otp.unanswered.address', caller.group);

/**
 * Counts a message before it is sent, because each message costs money. Callers whose phone, device or network has
 * verified a phone before are limited only by the total of all messages. Strangers have a lower limit, so that known
 * callers always have a share, and a limit on adjacent numbers. A network that ordered many codes and entered none
 * counts as a stranger.
 * @throws {Refusal} OTP_BLOCK
 */
export async function enforceSendLimits(deps: CountDeps, operatorData: OperatorData, send: PendingSend): Promise<void> {
  const { rateLimits } = deps;
  const { phone, caller, device, isFirstInWindow } = send;
  const knownKinds = await findKnownKinds(deps, send);
  const unansweredLimitOfCaller = unansweredCodesLimit(operatorData, caller);
  await rateLimits.hit(
    device !== undefined && knownKinds.has('device')
      ? operatorData.limitFor('otp.send.device', hashDeviceToken(device))
      : operatorData.limitFor('otp.send.address', caller.group),
  );
  const isTrusted =
    knownKinds.has('phone') ||
    knownKinds.has('device') ||
    (knownKinds.has('address') && (await rateLimits.readHits(unansweredLimitOfCaller)) < unansweredLimitOfCaller.max);
  if (!isTrusted) {
    if (operatorData.isStopped('otp.strangers')) throw new Refusal('OTP_BLOCK');
    // Another code for the same phone is not another number.
    if (isFirstInWindow) {
      for (const range of numberRanges(phone)) await rateLimits.hit(operatorData.limitFor('otp.send.range', range));
    }
    await rateLimits.hit(operatorData.limitFor('otp.send.strangers'));
  }
  await rateLimits.hit(operatorData.limitFor('otp.send.all'));
  await countUnanswered(rateLimits, unansweredLimitOfCaller);
}

async function findKnownKinds({ database, clock }: CountDeps, { phone, caller, device }: PendingSend) {
  return findKnownIdentifiers(
    database,
    knownIdentifiers(phone, caller, device),
    later(clock.now(), -KNOWN_IDENTIFIER_LIFETIME_MS),
  );
}

/** The identifiers of a caller: phone, network and device. */
export const knownIdentifiers = (phone: string, caller: Caller, device: string | undefined): KnownIdentifier[] => [
  { kind: 'phone', name: phone },
  { kind: 'address', name: caller.group },
  ...(device === undefined ? [] : [{ kind: 'device' as const, name: hashDeviceToken(device) }]),
];

// Exceeding this limit is no error: the count is only read.
async function countUnanswered(rateLimits: RateLimits, limit: Limit): Promise<void> {
  try {
    await rateLimits.hit(limit);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

const DEVICE_COOKIE = 'device';
const DEVICE_TOKEN = new RegExp(`(?:^|;\\s*)${DEVICE_COOKIE}=([\\w-]{43})(?:;|$)`);

/** Reads the token of a device that has verified a phone before. The token grants no access. */
export const readDevice = (request: FastifyRequest): string | undefined =>
  DEVICE_TOKEN.exec(request.headers.cookie ?? '')?.[1];

export const hashDeviceToken = (token: string): string => hashToken(token).toString('hex');

/** Issues a token to a device that verified a phone, or extends its existing token. */
export function rememberDevice(request: FastifyRequest, reply: FastifyReply): string {
  const token = readDevice(request) ?? newToken();
  const secureAttribute = request.protocol === 'https' ? '; Secure' : '';
  // Scripts can't read the cookie, and browsers send it only to the one-time code endpoints.
  const attributes = `Path=/api/otp; Max-Age=${KNOWN_IDENTIFIER_LIFETIME_MS / 1000}; HttpOnly; SameSite=Strict${secureAttribute}`;
  void reply.header('set-cookie', `${DEVICE_COOKIE}=${token}; ${attributes}`);
  return token;
}
