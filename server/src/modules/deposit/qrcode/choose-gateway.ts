import { type Currency, minor } from '@krapao/contract/money';
import { Refusal } from '../../../platform/refusal.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import type { QrcodeDeps } from './qrcode-deps.ts';
import type { AmountLimits } from './qrcode.ts';

/** The gateway that a member may use, with the operator's limits. Refuses with NO_BANK when there is none. */
export async function chooseGateway(
  deps: QrcodeDeps,
  bankCode: string,
  currency: Currency,
): Promise<{ gateway: Gateway; limits: AmountLimits }> {
  const gateway = deps.gateways.find((one) => one.code === bankCode && one.currency === currency);
  const offered = (await deps.operatorData()).depositAccounts.find(
    (account) => account.bankCode === bankCode && account.bankType === 'PAYMENT' && account.currency === currency,
  );
  if (!gateway || !offered) throw new Refusal('NO_BANK');
  const limit = (amount: bigint | null) => (amount === null ? undefined : minor(amount));
  return { gateway, limits: { minimum: limit(offered.minimum), maximum: limit(offered.maximum) } };
}
