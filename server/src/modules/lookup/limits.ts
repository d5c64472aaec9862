import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SiteConfig } from './operator-data.ts';

/**
 * Everything that the operator limits in `lookup_limit`, with the code of its refusal. The end of a name says for whom hits are
 * counted, or for how long; `server/seed/limits.json` has the first values.
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
  'otp.unanswered.address': 'OTP_BLOCK',
  'otp.failure.address': 'OTP_BLOCK',
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

/** The names, for the shape of the seed: one that is missing or unknown stops the start. */
export const limitNames = Object.keys(limitCodes) as LimitName[];

/** How often something may be done. */
export type OperationLimit = { hits: number; windowSeconds: number };

/** A limit as it is counted for one caller; without `whom` for all of them together. */
export function findLimit(name: LimitName, { hits, windowSeconds }: OperationLimit, whom?: string): Limit {
  return { key: whom === undefined ? name : `${name}:${whom}`, max: hits, windowSeconds, code: limitCodes[name] };
}

type Counting = { operatorData: () => Promise<SiteConfig>; rateLimits: RateLimits };

/**
 * Counts one of what the operator limits.
 * @param whom the caller that is counted; left out, the limit is of all callers together
 * @throws {Refusal} the code of the limit when it is exceeded
 */
export const countHit = (counting: Counting, name: LimitName, whom?: string): Promise<void> =>
  countHits(counting, [name, whom]);

/** Counts one of each, in their order, up to the first that is exceeded. @throws {Refusal} its code */
export async function countHits(
  { operatorData, rateLimits }: Counting,
  ...counted: readonly (readonly [name: LimitName, whom?: string | undefined])[]
): Promise<void> {
  const data = await operatorData();
  await rateLimits.hit(...counted.map(([name, whom]) => data.limitFor(name, whom)));
}

/** Share of its own limit that a caller keeps after the shared limit is exhausted. */
const OWN_SHARE = 0.1;

/**
 * Counts a hit for a caller and for their address. After the shared limit is exhausted, each caller still has a tenth of
 * the last of their own limits: one caller behind a carrier's address can't block the others.
 * @param own limits of an identity that is not free to create: a member, a proved phone
 * @throws {Refusal} the code of the limit that is exceeded
 */
export async function hitShared(
  rateLimits: RateLimits,
  { own, shared }: { own: readonly Limit[]; shared: Limit },
): Promise<void> {
  try {
    await rateLimits.hit(...own, shared);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const used = await Promise.all(own.map((limit) => rateLimits.used(limit)));
    const isWithinOwn = own.every(({ max }, index) => (used[index] ?? 0) <= max);
    const [last, lastUsed] = [own.at(-1), used.at(-1)];
    if (!isWithinOwn || !last || (lastUsed ?? 0) > last.max * OWN_SHARE) throw error;
  }
}

/** As {@link hitShared}, by names of limits. @throws {Refusal} the code of the limit that is exceeded */
export async function countShared(
  { operatorData, rateLimits }: Counting,
  { own, whom, shared, group }: { own: readonly LimitName[]; whom: string; shared: LimitName; group: string },
): Promise<void> {
  const data = await operatorData();
  const limits = own.map((name) => data.limitFor(name, whom));
  await hitShared(rateLimits, { own: limits, shared: data.limitFor(shared, group) });
}
