import * as endpoints from '@krapao/contract/endpoints/otp';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import type { OperatorData } from '../operator-data/index.ts';
import { parsePhone } from './otp.ts';
import { readDevice, rememberDevice } from './send-limits.ts';
import { sendOtp, type SendDeps } from './send-otp.ts';
import { verifyOtp } from './verify-otp.ts';

export type OtpDeps = Omit<SendDeps, 'onSendFailure'> & {
  app: FastifyInstance;
  variant: Variant;
  readOperatorData: () => Promise<OperatorData>;
};

/** Serves sending and verifying one-time codes. */
export function otpRoutes(deps: OtpDeps): void {
  const { app, variant, readOperatorData } = deps;
  route(app, endpoints.sendOtp, async ({ body, request }) => {
    const operatorData = await readOperatorData();
    const caller = callerAddress(request);
    if (!operatorData.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
    // Codes only serve registrations, and each costs money.
    if (operatorData.isStopped('register')) throw new Refusal('OTP_SEND_FAIL', { detail: 'REGISTER_STOPPED' });
    const phone = parsePhone(body.phoneNumber, variant, operatorData);
    const onSendFailure = (reason: string): void => request.log.warn({ reason }, 'SMS not sent');
    const language = requestLanguage(request.headers.cookie, variant);
    const options = { caller, device: readDevice(request), language, otpToken: body.otpToken };
    return { status: 200, body: await sendOtp({ ...deps, onSendFailure }, operatorData, phone, options) };
  });
  route(app, endpoints.verifyOtp, async ({ body, request, reply }) => {
    try {
      const verifier = { caller: callerAddress(request), device: () => rememberDevice(request, reply) };
      const verifiedUntil = await verifyOtp(deps, await readOperatorData(), body, verifier);
      return { status: 200, body: { message: 'OK', verifiedUntil: verifiedUntil.toISOString() } };
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) throw error;
      request.log.error({ err: error }, 'code verification ended in an error');
      throw new Refusal('OTP_VERIFY_FAIL', { cause: error });
    }
  });
}
