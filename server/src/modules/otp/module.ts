import type { Queryable } from '../../platform/database.ts';
import { later } from '../../platform/clock.ts';
import { provedUntil, type Prover } from './otp.ts';
import { deleteOtpsBefore, selectProof } from './queries.ts';
import { type OtpDeps, otpRoutes } from './routes.ts';

export { phoneOf } from './otp.ts';

export type OtpModule = {
  /** Whether this caller has proved that they hold the phone (in the form of `phoneOf`) a short while ago. */
  isVerified(db: Queryable, phone: string, by: Prover): Promise<boolean>;
  /** Removes codes that are long over. */
  sweep(): Promise<void>;
};

const KEEP_MS = 24 * 60 * 60_000;

/** One-time codes that prove a phone. */
export function otpModule(deps: OtpDeps): OtpModule {
  const { database, clock } = deps;
  otpRoutes(deps);
  return {
    isVerified: async (db, phone, by) => {
      const proof = await selectProof(db, phone);
      return proof !== undefined && provedUntil(proof, by, clock.now()) !== undefined;
    },
    sweep: () => deleteOtpsBefore(database, later(clock.now(), -KEEP_MS)),
  };
}
