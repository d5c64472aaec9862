import { WALLET_APP_CURRENCY } from '@krapao/contract/deposit-advice';
import * as endpoints from '@krapao/contract/endpoints/deposit/advice';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../../platform/database/database.ts';
import { route } from '../../../platform/http/route.ts';
import type { Clock } from '../../../platform/time.ts';
import type { OperatorData } from '../../operator-data/index.ts';
import { houseAccountOf, selectTransferUse, WALLET_APP_ACCOUNT } from '../bank-transfer/index.ts';
import { selectQrcodeUse } from '../qrcode/index.ts';
import { assembleAdvice, qrMethod } from './advice.ts';
import { selectStats } from './queries.ts';

export type AdviceDeps = {
  database: Database;
  clock: Clock;
  readOperatorData: () => Promise<OperatorData>;
};

export function adviceRoutes(app: FastifyInstance, { database, clock, readOperatorData }: AdviceDeps): void {
  route(app, endpoints.depositAdvice, async ({ member: { id, currency } }) => {
    const operatorData = await readOperatorData();
    const gateways = operatorData.offeredMethods.depositAccounts
      .filter((account) => account.bankType === 'PAYMENT' && account.currency === currency)
      .map(({ bankCode }) => bankCode);
    const [stats, codes, transfers] = await Promise.all([
      selectStats(database),
      selectQrcodeUse(database, id, gateways),
      selectTransferUse(database, id),
    ]);
    const uses = [
      ...codes.map(({ gateway, ...use }) => ({ method: qrMethod(gateway), ...use })),
      ...transfers.map(({ houseAccount, ...use }) => ({ method: houseAccount, ...use, lastWorked: true })),
    ];
    const body = assembleAdvice({
      now: clock.now(),
      currency,
      hasWalletApp: currency === WALLET_APP_CURRENCY,
      operatorData,
      stats,
      uses,
      houseAccountOf,
      walletHouseAccount: WALLET_APP_ACCOUNT,
    });
    return { status: 200, body };
  });
}
