import type { Queryable, Tx } from '../../platform/database/database.ts';
import { later } from '../../platform/time.ts';
import { type OtpDeps, otpRoutes } from './http.ts';
import { KNOWN_IDENTIFIER_LIFETIME_MS, verifiedUntil, type OtpCaller } from './otp.ts';
import { deleteNetworksBefore, isKnownNetwork, networkCutoff, rememberNetwork } from './phone-network-queries.ts';
import { deleteIdentifiersBefore, deleteOtpsBefore, selectProof } from './queries.ts';

export { parsePhone } from './otp.ts';
export { selectBlockedUntil as blockedUntil, unblockPhone } from './queries.ts';

export type OtpModule = {
  /** Whether this caller has recently verified the phone, in the form of `parsePhone`. */
  isVerified(db: Queryable, phone: string, caller: OtpCaller): Promise<boolean>;
  /** Whether the phone was registered or proved from this network within 30 days. */
  isKnownNetwork(phone: string, network: string): Promise<boolean>;
  /** Makes the network of a registration known for the phone. */
  rememberNetwork(tx: Tx, phone: string, network: string): Promise<void>;
  /** Deletes expired codes and old identifiers. */
  sweep(): Promise<void>;
};

/** Longer than the window of the daily limit per phone. */
const OTP_RETENTION_MS = 2 * 24 * 60 * 60_000;

/** One-time codes that verify a phone. */
export function otpModule(deps: OtpDeps): OtpModule {
  const { database, clock } = deps;
  otpRoutes(deps);
  return {
    isVerified: async (db, phone, caller) => {
      const proof = await selectProof(db, phone);
      return proof !== undefined && verifiedUntil(proof, caller, clock.now()) !== undefined;
    },
    isKnownNetwork: (phone, network) => isKnownNetwork(database, { phone, network }, networkCutoff(clock.now())),
    rememberNetwork: (tx, phone, network) => rememberNetwork(tx, { phone, network }, clock.now()),
    sweep: async () => {
      await deleteNetworksBefore(database, networkCutoff(clock.now()));
      await deleteOtpsBefore(database, later(clock.now(), -OTP_RETENTION_MS));
      await deleteIdentifiersBefore(database, later(clock.now(), -KNOWN_IDENTIFIER_LIFETIME_MS));
    },
  };
}
