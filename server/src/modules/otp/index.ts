import type { Queryable, Tx } from '../../platform/database/database.ts';
import { later } from '../../platform/time.ts';
import { KNOWN_IDENTIFIER_LIFETIME_MS, verifiedUntil, type OtpCaller, parsePhone } from './otp.ts';
import { deleteNetworksBefore, isKnownNetwork, networkCutoff, rememberNetwork } from './phone-network-queries.ts';
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

export type OtpDeps = Omit<SendDeps, 'onSendFailure'> & {
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
    // Codes only serve registrations, and each costs money.
    if (data.isStopped('register')) throw new Refusal('OTP_SEND_FAIL', { detail: 'REGISTER_STOPPED' });
    const phone = parsePhone(body.phoneNumber, variant, data);
    const onSendFailure = (reason: string): void => request.log.warn({ reason }, 'SMS not sent');
    const language = requestLanguage(request.headers.cookie, variant);
    const options = { caller, device: readDevice(request), language, otpToken: body.otpToken };
    return { status: 200, body: await sendOtp({ ...deps, onSendFailure }, data, phone, options) };
  });
  route(app, endpoints.verifyOtp, async ({ body, request, reply }) => {
    try {
      const verifier = { caller: callerAddress(request), device: () => rememberDevice(request, reply) };
      const verifiedUntil = await verifyOtp(deps, await operatorData(), body, verifier);
      return { status: 200, body: { message: 'OK', verifiedUntil: verifiedUntil.toISOString() } };
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) throw error;
      request.log.error({ err: error }, 'code verification ended in an error');
      throw new Refusal('OTP_VERIFY_FAIL', { cause: error });
    }
  });
}
