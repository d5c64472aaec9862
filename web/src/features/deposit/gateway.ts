import { QUICK_AMOUNTS } from '@krapao/contract/constants';
import type { Reply } from '../../api/endpoint-types.ts';

type DepositAccount = Reply<'GET /api/lookup/deposit'>['banks'][number];
export type GatewayAccount = DepositAccount & { bankCode: keyof typeof QUICK_AMOUNTS };

/** Whether it is a gateway that we have a panel for. */
export const isGateway = (account: DepositAccount): account is GatewayAccount =>
  account.bankType === 'PAYMENT' && Object.hasOwn(QUICK_AMOUNTS, account.bankCode);
