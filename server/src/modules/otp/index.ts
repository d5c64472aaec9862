import type { Queryable } from '../../platform/database/database.ts';
import { later } from '../../platform/time.ts';
import { KNOWN_IDENTIFIER_MS, verifiedUntil, type OtpCaller, parsePhone } from './otp.ts';
import { deleteIdentifiersBefore, deleteOtpsBefore, selectProof } from './queries.ts';
import * as endpoints from '@krapao/contract/endpoints/otp';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { route } from '../../platform/http/route.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { readDevice, rememberDevice } from './send-limits.ts';
import { sendOtp, type SendDeps } from './send-otp.ts';
import { verifyOtp } from './verify-otp.ts';

export { parsePhone } from './otp.ts';

export type OtpModule = {
  /** Whether this caller has proved that they hold the phone (in the form of `phoneOf`) a short while ago. */
  isVerified(db: Queryable, phone: string, by: OtpCaller): Promise<boolean>;
  /** Deletes expired codes and identifiers that were not seen recently. */
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
      return proof !== undefined && verifiedUntil(proof, by, clock.now()) !== undefined;
    },
    sweep: async () => {
      await deleteOtpsBefore(database, later(clock.now(), -KEEP_MS));
      await deleteIdentifiersBefore(database, later(clock.now(), -KNOWN_IDENTIFIER_MS));
    },
  };
}

export type OtpDeps = Omit<SendDeps, 'onTrouble'> & {
  app: FastifyInstance;
  variant: Variant;
  operatorData: () => Promise<SiteConfig>;
};

/** Serves sending and verifying one-time codes. */
export function otpRoutes(deps: OtpDeps): void {
  const { app, variant, operatorData } = deps;
  route(app, endpoints.sendOtp, async ({ body, request }) => {
    const data = await operatorData();
    const caller = callerAddress(request);
    if (!data.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
    const phone = parsePhone(body.phoneNumber, variant, data);
    const onTrouble = (reason: string): void => request.log.warn({ reason }, 'a text message was not sent');
    const language = requestLanguage(request.headers.cookie, variant);
    const by = { caller, device: readDevice(request), language, otpToken: body.otpToken };
    return { status: 200, body: await sendOtp({ ...deps, onTrouble }, data, phone, by) };
  });
  route(app, endpoints.verifyOtp, async ({ body, request, reply }) => {
    try {
      const by = { caller: callerAddress(request), device: () => rememberDevice(request, reply) };
      const until = await verifyOtp(deps, await operatorData(), body, by);
      return { status: 200, body: { message: 'OK', verifiedUntil: until.toISOString() } };
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) throw error;
      request.log.error({ err: error }, 'a one-time code could not be verified');
      throw new Refusal('OTP_VERIFY_FAIL', { cause: error });
    }
  });
}
