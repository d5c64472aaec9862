import { Refusal } from '../../platform/errors.ts';
import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import type { OperatorData } from './read-operator-data.ts';

/**
 * All limits of `operator_data_limit` with the code of their refusal. The end of a name is the identity that is counted, or
 * the window. Initial values are in `server/seed/limits.json`.
 */
export const limitCodes = {
  'login.failure.phone-address': 'REQUEST_LIMIT_1MIN',
  'login.failure.phone': 'REQUEST_LIMIT',
  'login.failure.address': 'REQUEST_LIMIT',
  'login.failure.known': 'REQUEST_LIMIT',
  'login.failure.known.address': 'REQUEST_LIMIT',
  'password.failure.member': 'REQUEST_LIMIT_1MIN',
  'bank-account-name.minute': 'REQUEST_LIMIT_1MIN',
  'bank-account-name.day': 'REQUEST_LIMIT',
  'register.phone': 'REQUEST_LIMIT',
  'register.address': 'REQUEST_LIMIT',
  'register.address.unproved': 'REQUEST_LIMIT',
  'otp.send.address': 'OTP_BLOCK',
  'otp.send.phone.day': 'OTP_BLOCK',
  'otp.send.device': 'OTP_BLOCK',
  'otp.send.range': 'OTP_BLOCK',
  'otp.send.strangers': 'OTP_BLOCK',
  'otp.send.all': 'OTP_BLOCK',
  'security-sms.all': 'REQUEST_LIMIT',
  'otp.unanswered.address': 'OTP_BLOCK',
  'otp.failure.address': 'OTP_BLOCK',
  'inviter.address': 'REQUEST_LIMIT',
  'notice.member': 'REQUEST_LIMIT',
  'slip.member': 'REQUEST_LIMIT_1MIN',
  'slip.member.day': 'REQUEST_LIMIT',
  'slip.address': 'REQUEST_LIMIT',
  'spin.member': 'REQUEST_LIMIT',
  'spin-seed.member': 'REQUEST_LIMIT',
  'coupon.member': 'REQUEST_LIMIT',
  'truelink.member': 'REQUEST_LIMIT_1MIN',
  'promotion.member': 'REQUEST_LIMIT_1MIN',
  'promotion.member.day': 'REQUEST_LIMIT',
  'promotion.address': 'REQUEST_LIMIT',
  'chat.customer': 'REQUEST_LIMIT',
  'chat.customer.day': 'REQUEST_LIMIT',
  'chat.address': 'REQUEST_LIMIT_1MIN',
  'chat.visitor.address': 'REQUEST_LIMIT',
  'chat.file.customer': 'REQUEST_LIMIT_1MIN',
  'chat.file.customer.day': 'REQUEST_LIMIT',
  'chat.file.visitors.day': 'REQUEST_LIMIT',
  'chat.file.address': 'REQUEST_LIMIT',
  'chat.secret.address': 'REQUEST_LIMIT',
} as const satisfies Record<string, Limit['code']>;

export type LimitName = keyof typeof limitCodes;

/** Names for the schema of the seed: a missing or unknown name stops the start. */
export const limitNames = Object.keys(limitCodes) as LimitName[];

/** Maximum number of hits in a window. */
export type OperationLimit = { hits: number; windowSeconds: number };

/** The limit of one caller; without `callerKey` the limit of all callers together. */
export function buildLimit(name: LimitName, { hits, windowSeconds }: OperationLimit, callerKey?: string): Limit {
  return {
    key: callerKey === undefined ? name : `${name}:${callerKey}`,
    max: hits,
    windowSeconds,
    code: limitCodes[name],
  };
}

type CountDeps = { readOperatorData: () => Promise<OperatorData>; rateLimits: RateLimits };

/**
 * Counts one hit of a limit.
 * @param callerKey the counted caller; omitted, the limit is for all callers together
 * @throws {Refusal} the code of the exceeded limit
 */
export const countHit = (deps: CountDeps, name: LimitName, callerKey?: string): Promise<void> =>
  countHits(deps, [name, callerKey]);

/** Counts one hit of each limit, in order, up to the first exceeded one. @throws {Refusal} its code */
export async function countHits(
  { readOperatorData, rateLimits }: CountDeps,
  ...hits: readonly (readonly [name: LimitName, callerKey?: string | undefined])[]
): Promise<void> {
  const operatorData = await readOperatorData();
  await rateLimits.hit(...hits.map(([name, callerKey]) => operatorData.limitFor(name, callerKey)));
}

/** Share of a caller's own limit that remains after the shared limit is exhausted. */
const OWN_LIMIT_SHARE = 0.1;

/**
 * Counts a hit for a caller and for their address. After the shared limit is exhausted, each caller still has a tenth
 * of the last of their own limits. So one caller behind a carrier's address can't block the others.
 * @param own limits of an identity that is not free to create: a member, a verified phone
 * @throws {Refusal} the code of the exceeded limit
 */
export async function hitShared(
  rateLimits: RateLimits,
  { own, shared }: { own: readonly Limit[]; shared: Limit },
): Promise<void> {
  try {
    await rateLimits.hit(...own, shared);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const used = await Promise.all(own.map((limit) => rateLimits.readHits(limit)));
    const isWithinOwnLimits = own.every(({ max }, index) => (used[index] ?? 0) <= max);
    const [lastLimit, lastUsed] = [own.at(-1), used.at(-1)];
    if (!isWithinOwnLimits || !lastLimit || (lastUsed ?? 0) > lastLimit.max * OWN_LIMIT_SHARE) throw error;
  }
}

/** As {@link hitShared}, by limit names. @throws {Refusal} the code of the exceeded limit */
export async function countShared(
  { readOperatorData, rateLimits }: CountDeps,
  { own, callerKey, shared, group }: { own: readonly LimitName[]; callerKey: string; shared: LimitName; group: string },
): Promise<void> {
  const operatorData = await readOperatorData();
  const limits = own.map((name) => operatorData.limitFor(name, callerKey));
  await hitShared(rateLimits, { own: limits, shared: operatorData.limitFor(shared, group) });
}
