import * as endpoints from '@krapao/contract/endpoints/otp';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../platform/http/caller/caller-address.ts';
import { route } from '../../platform/http/registrar.ts';
import { Refusal } from '../../platform/refusal.ts';
import { Unavailable } from '../../platform/unavailable.ts';
import type { OperatorData } from '../lookup/module.ts';
import { languageOf } from '../../platform/http/caller/language-of.ts';
import { deviceOf, rememberDevice } from './device.ts';
import { phoneOf } from './phone.ts';
import { sendOtp, type SendDeps } from './send-otp.ts';
import { verifyOtp } from './verify-otp.ts';

export type OtpDeps = Omit<SendDeps, 'onTrouble'> & {
  app: FastifyInstance;
  variant: Variant;
  operatorData: () => Promise<OperatorData>;
};

/** Serves sending and verifying one-time codes. */
export function otpRoutes(deps: OtpDeps): void {
  const { app, variant, operatorData } = deps;
  route(app, endpoints.sendOtp, async ({ body, request }) => {
    const data = await operatorData();
    const caller = callerOf(request);
    if (!data.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
    const phone = phoneOf(body.phoneNumber, variant, data);
    const onTrouble = (reason: string): void => request.log.warn({ reason }, 'a text message was not sent');
    const language = languageOf(request.headers.cookie, variant);
    const by = { caller, device: deviceOf(request), language, otpToken: body.otpToken };
    return { status: 200, body: await sendOtp({ ...deps, onTrouble }, data, phone, by) };
  });
  route(app, endpoints.verifyOtp, async ({ body, request, reply }) => {
    try {
      const by = { caller: callerOf(request), device: () => rememberDevice(request, reply) };
      const until = await verifyOtp(deps, await operatorData(), body, by);
      return { status: 200, body: { message: 'OK', verifiedUntil: until.toISOString() } };
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) throw error;
      request.log.error({ err: error }, 'a one-time code could not be verified');
      throw new Refusal('OTP_VERIFY_FAIL', { cause: error });
    }
  });
}
