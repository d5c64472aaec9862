import type { statementEntry } from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { StatementType } from '@krapao/contract/statement';
import type { z } from 'zod';
import type { StatementRow } from '../../ledger/index.ts';
import type { ConditionKind, GrantDescription } from '../incentive/index.ts';

export type StatementEntry = z.input<typeof statementEntry>;

const GAME_PREFIX = 'GAME:';
/** The account number of `bank:SCB-…` is removed. */
const OWN_BANK_PREFIX = 'bank:';
const HOUSE_PREFIXES = ['gateway:', 'provider:', 'cost:'];

/** Statement type of a kind of movement. @throws for an unknown kind */
export function statementTypeOf(kind: string): StatementType {
  const type = STATEMENT_TYPES[kind];
  if (!type) throw new Error(`movements of the kind "${kind}" have no place in the statement`);
  return type;
}

const STATEMENT_TYPES: Readonly<Record<string, StatementType>> = {
  deposit: 'deposit',
  withdraw: 'withdraw',
  transfer: 'transfer',
  bonus: 'bonus',
  finish_bonus: 'finish_bonus',
};

/**
 * Name of a ledger account in the statement: WALLET, WALLET_APP, the code of a game or gateway, `bank:SCB`, BANK, or
 * the kind of a grant (BONUS, PROMOTION, REFUND, INVITE, LUCKYDRAW).
 */
export function counterpartyOf(account: string): string {
  if (account.startsWith(GAME_PREFIX)) return account.slice(GAME_PREFIX.length);
  if (account === 'wallet-app') return 'WALLET_APP';
  // Assigned by an operator, so it may be any bank.
  if (account === 'suspense') return 'BANK';
  if (account === 'cost:coupon') return 'LUCKYDRAW';
  // The number of the own account is not shown to members.
  if (account.startsWith(OWN_BANK_PREFIX)) return account.split('-')[0] ?? account;
  const prefix = HOUSE_PREFIXES.find((candidate) => account.startsWith(candidate));
  return prefix ? account.slice(prefix.length).toUpperCase() : account;
}

/** Failure reason and bank of a withdrawal, which the ledger does not store. */
export type WithdrawOutcome = { reason: string | null; bankCode: string };

type RewardField = 'bonus' | 'promotion' | 'invite' | 'refund' | 'luckydraw';
const REWARD_FIELDS: Readonly<Record<ConditionKind, RewardField>> = {
  BONUS: 'bonus',
  PROMOTION: 'promotion',
  INVITE: 'invite',
  REFUND: 'refund',
  COUPON: 'luckydraw',
};

/** The incentive's name under the key of its kind, and its end in the row of the finished bonus. */
export function rewardSource(
  { kind }: Pick<StatementRow, 'kind'>,
  grant: GrantDescription | undefined,
  language: Language,
): Pick<StatementEntry, RewardField | 'end'> {
  if (!grant) return {};
  const endField = kind === 'finish_bonus' && grant.end ? { end: grant.end } : {};
  return { [REWARD_FIELDS[grant.kind]]: { description: grant.name[language] }, ...endField };
}

/** Converts a movement of the wallet to the wire form. */
export function toWireEntry(row: StatementRow, outcome?: WithdrawOutcome): StatementEntry {
  return {
    _id: String(row.operationId),
    statementType: statementTypeOf(row.kind),
    status: row.state,
    from: counterpartyOf(row.debit),
    to: outcome?.bankCode ?? counterpartyOf(row.credit),
    amount: toWire(row.amount),
    requested: toWire(row.requested),
    reference: row.reference,
    balance: toWire(row.balance),
    reason: row.state === 'FAILED' ? (outcome?.reason ?? null) : null,
    createdAt: row.at.toISOString(),
  };
}
