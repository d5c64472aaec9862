import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';
import * as kbank from './qr-world.ts';

export { letTimePass, rowOf, until } from './qr-world.ts';

/** The calls of one member at a gateway, and the bank app in their hand. */
export function customer(system: System, member: TestMember, bankCode: string) {
  const { token } = member;
  return {
    ...kbank.customer(system, member),
    create: (amount: unknown, idempotencyKey?: string): Promise<ApiReply> =>
      system.api(`POST /api/qrcode/${bankCode}`, {
        token,
        body: { amount },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }),
    current: (): Promise<ApiReply> => system.api(`GET /api/qrcode/${bankCode}`, { token }),
  };
}

/** What was sent to a gateway's callback address by anybody who knows its key. */
export const callAt = (system: System, bankCode: 'PAYONEX' | 'BCEL', body: unknown): Promise<ApiReply> => {
  const name = bankCode === 'PAYONEX' ? 'payonex' : 'bcel';
  const key = system.outside[name]?.callbackKey ?? '';
  return system.api(`POST /api/callback/${name}?key=${encodeURIComponent(key)}`, { body });
};
