import { createDecipheriv, createHash } from 'node:crypto';
import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { findGiftVoucher } from '@krapao/contract/input/gift-link';
import { type Minor, minor } from '@krapao/contract/money';
import type { GiftState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { GiftRefusal, GiftRedeemer } from '../../../adapters/gift-redeemer.ts';
import type { Ledger } from '../../../ledger/index.ts';
import { decodeExactly, type SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import type { Clock } from '../../../platform/time.ts';
import type { AccountModule } from '../../account/index.ts';
import type { OperatorData } from '../../operator-data/index.ts';
import type { BonusChoice } from '../bonus-choice.ts';

/** A gift link sent by a member. */
export type Gift = {
  id: string;
  /** Identity of the link, unique across members. */
  hashSha256: Buffer;
  /** Encrypted with the id as context; null after settlement. */
  sealedHash: Buffer | null;
  memberId: string;
  reference: string;
  receiver: string;
  state: GiftState;
  code: GiftCode | null;
  detail: string | null;
  amount: Minor | null;
  /** Time since the redeeming call, by the database's clock; null before. */
  redeemedAgoMs: number | null;
  ageMs: number;
  inquiries: number;
  /** Consecutive replies "not redeemed" after the redeeming call. */
  absences: number;
};

export type GiftCode = 'TRUELINK_INVALID' | 'TRUELINK_DUPLICATE';
export type GiftFailure = { code: GiftCode; detail: string };

export const GIFT_MINIMUM = minor(BigInt(WALLET_APP_MINIMUM) * 100n);

/** Error shown to the member for a refused gift. */
export const giftFailure = (refusal: GiftRefusal): GiftFailure =>
  refusal === 'OUT_OF_STOCK'
    ? { code: 'TRUELINK_DUPLICATE', detail: 'OUT_OF_STOCK' }
    : { code: 'TRUELINK_INVALID', detail: refusal };

export type TruelinkDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand'>;
  clock: Clock;
  secretBox: SecretBox;
  rateLimits: RateLimits;
  readOperatorData: () => Promise<OperatorData>;
  /** Undefined when the wallet app is not configured. */
  redeemer: GiftRedeemer | undefined;
  /** Public secret with which the app encrypts links. */
  secret: string;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  bonusChoice: BonusChoice;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Wakes the resolver of this process when work is due. */
  wakeResolver(): void;
};

const LEASE_MARGIN_MS = 3_000;

/** Lease of a link: an inquiry, a redeeming call, a ledger command. */
export const leaseMs = ({ timeoutMs }: Pick<GiftRedeemer, 'timeoutMs'>): number => 2 * timeoutMs + LEASE_MARGIN_MS;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Decrypts a link and returns the hash of its gift.
 * @param encrypted base64 of a 12-byte IV, the AES-256-GCM ciphertext and its tag; the key is the SHA-256 of the secret
 * @throws {Refusal} TRUELINK_INVALID: CANNOT_DECRYPT; NOT_A_GIFT_LINK (not exactly one link, see {@link
 *   findGiftVoucher})
 */
export function readLink(encrypted: string, secret: string): string {
  const text = decrypt(encrypted, secret);
  if (text === undefined) throw new Refusal('TRUELINK_INVALID', { detail: 'CANNOT_DECRYPT' });
  const giftHash = findGiftVoucher(text);
  if (giftHash === undefined) throw new Refusal('TRUELINK_INVALID', { detail: 'NOT_A_GIFT_LINK' });
  return giftHash;
}

function decrypt(encrypted: string, secret: string): string | undefined {
  const bytes = decodeExactly(encrypted, 'base64');
  if (!bytes || bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const key = createHash('sha256').update(secret).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    return undefined;
  }
}
