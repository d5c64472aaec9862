import { WALLET_APP_CURRENCY } from '@krapao/contract/deposit-advice';
import * as endpoints from '@krapao/contract/endpoints/deposit/advice';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../../platform/database/database.ts';
import { route } from '../../../platform/http/route.ts';
import type { Clock } from '../../../platform/time.ts';
import type { SiteConfig } from '../../lookup/index.ts';
import { houseOf, selectTransferUse, WALLET_APP_HOUSE } from '../bank-transfer/index.ts';
import { selectQrcodeUse } from '../qrcode/index.ts';
import { assembleAdvice, qrWay } from './advice.ts';
import { selectStats } from './queries.ts';

export type AdviceDeps = {
  database: Database;
  clock: Clock;
  operatorData: () => Promise<SiteConfig>;
};

export function adviceRoutes(app: FastifyInstance, { database, clock, operatorData }: AdviceDeps): void {
  route(app, endpoints.depositAdvice, async ({ member: { id, currency } }) => {
    const data = await operatorData();
    const gateways = data.offered.depositAccounts
      .filter((account) => account.bankType === 'PAYMENT' && account.currency === currency)
      .map(({ bankCode }) => bankCode);
    const [stats, codes, transfers] = await Promise.all([
      selectStats(database),
      selectQrcodeUse(database, id, gateways),
      selectTransferUse(database, id),
    ]);
    const uses = [
      ...codes.map(({ gateway, ...use }) => ({ way: qrWay(gateway), ...use })),
      ...transfers.map(({ house, ...use }) => ({ way: house, ...use, lastWorked: true })),
    ];
    const body = assembleAdvice({
      now: clock.now(),
      currency,
      hasWalletApp: currency === WALLET_APP_CURRENCY,
      data,
      stats,
      uses,
      houseOf,
      walletHouse: WALLET_APP_HOUSE,
    });
    return { status: 200, body };
  });
}
