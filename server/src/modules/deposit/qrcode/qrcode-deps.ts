import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import type { AccountModule } from '../../account/module.ts';
import type { OperatorData } from '../../lookup/module.ts';
import { type Currency, minor } from '@krapao/contract/money';
import { Refusal } from '../../../platform/refusal.ts';
import type { Inquiries } from './inquiries.ts';
import type { AmountLimits } from './qrcode.ts';

/** What the use cases of `qrcode` work with. */
export type QrcodeDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postStep'>;
  clock: Clock;
  gateways: readonly Gateway[];
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'bankAccountOf'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  inquiries: Inquiries;
  /** Tells the watcher of this process that something fell due. */
  wakeWatcher: () => void;
};

/** The gateway of a row. A row of a removed gateway can't be asked about: that is reported, not hidden. */
export function gatewayOf(deps: Pick<QrcodeDeps, 'gateways'>, code: string): Gateway {
  const gateway = deps.gateways.find((one) => one.code === code);
  if (!gateway) throw new Error(`there are codes of the gateway ${code}, but no agreement with it`);
  return gateway;
}

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
