import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Gateway } from '../../../counterparties/gateway/port.ts';
import type { AccountModule } from '../../account/module.ts';
import type { OperatorData } from '../../lookup/module.ts';

/** What the use cases of `qrcode` work with. */
export type QrcodeDeps = {
  database: Database;
  ledger: Pick<Ledger, 'post'>;
  clock: Clock;
  gateways: readonly Gateway[];
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'bankAccountOf'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the watcher of this process that something fell due. */
  wakeWatcher: () => void;
};

/** The gateway of a row. A row of a gateway that was taken away can't be asked about: that is told, not hidden. */
export function gatewayOf(deps: Pick<QrcodeDeps, 'gateways'>, code: string): Gateway {
  const gateway = deps.gateways.find((one) => one.code === code);
  if (!gateway) throw new Error(`there are codes of the gateway ${code}, but no agreement with it`);
  return gateway;
}
