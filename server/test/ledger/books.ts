import { type Minor, minor } from '@krapao/contract/money';
import type { Operation } from '../../src/ledger/index.ts';

/** Operations of one test member, with default fields. */
export function ledgerAccountsOf(memberId: string) {
  const wallet = { member: memberId, kind: 'WALLET' } as const;
  const game = { member: memberId, kind: 'GAME:pg' } as const;
  const commonFields = { memberId, actor: 'member' };
  return {
    wallet,
    game,
    deposit: (key: string, amount: bigint): Operation => ({
      ...commonFields,
      key,
      type: 'transfer',
      kind: 'deposit',
      reference: key,
      amount: minor(amount),
      debit: { houseAccount: 'gateway:kbank' },
      credit: wallet,
    }),
    pay: (key: string, amount: bigint): Operation => ({
      ...commonFields,
      key,
      type: 'transfer',
      kind: 'withdraw',
      reference: key,
      amount: minor(amount),
      debit: wallet,
      credit: { houseAccount: 'bank' },
    }),
    hold: (key: string, amount: bigint): Operation => ({
      ...commonFields,
      key,
      type: 'hold',
      kind: 'transfer',
      reference: key,
      amount: minor(amount),
      debit: wallet,
      credit: game,
    }),
    resolve: (type: 'post' | 'void', key: string, pendingKey: string): Operation => ({
      ...commonFields,
      key,
      type,
      kind: 'transfer',
      reference: pendingKey,
      debit: wallet,
      credit: game,
      pendingKey,
    }),
    adjust: (key: string, target: bigint): Operation => ({
      ...commonFields,
      key,
      type: 'adjust',
      kind: 'play',
      reference: key,
      target: minor(target),
      debit: { houseAccount: 'provider:pg' },
      credit: game,
    }),
    mark: (key: string): Operation => ({
      ...commonFields,
      key,
      type: 'mark',
      kind: 'finish_bonus',
      reference: key,
      debit: wallet,
      credit: { houseAccount: 'cost:bonus' },
    }),
    home: (key: string, amount: Minor): Operation => ({
      ...commonFields,
      key,
      type: 'transfer',
      kind: 'transfer',
      reference: key,
      amount,
      debit: game,
      credit: wallet,
    }),
  };
}
