import type { Queryable } from '../../platform/database/database.ts';
import { later } from '../../platform/clock.ts';
import { KNOWN_MS, provedUntil, type Prover } from './otp.ts';
import { deleteKnownBefore, deleteOtpsBefore, selectProof } from './queries.ts';
import { type OtpDeps, otpRoutes } from './routes.ts';

export { phoneOf } from './phone.ts';

export type OtpModule = {
  /** Whether this caller has proved that they hold the phone (in the form of `phoneOf`) a short while ago. */
  isVerified(db: Queryable, phone: string, by: Prover): Promise<boolean>;
  /** Removes codes that are long over, and forgets who has not come for long. */
  sweep(): Promise<void>;
};

/** Longer than the day that a phone's codes are counted in. */
const KEEP_MS = 2 * 24 * 60 * 60_000;

/** One-time codes that prove a phone. */
export function otpModule(deps: OtpDeps): OtpModule {
  const { database, clock } = deps;
  otpRoutes(deps);
  return {
    isVerified: async (db, phone, by) => {
      const proof = await selectProof(db, phone);
      return proof !== undefined && provedUntil(proof, by, clock.now()) !== undefined;
    },
    sweep: async () => {
      await deleteOtpsBefore(database, later(clock.now(), -KEEP_MS));
      await deleteKnownBefore(database, later(clock.now(), -KNOWN_MS));
    },
  };
}
