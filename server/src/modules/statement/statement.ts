import type { statementEntry, StatementType } from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { z } from 'zod';
import type { StatementRow } from '../../ledger/index.ts';
import type { ConditionKind, GrantDescription } from '../incentive/index.ts';

export type StatementEntry = z.input<typeof statementEntry>;

const GAME = 'GAME:';
/** `bank:SCB-…` is shown without its number; the prefixes below are dropped: `gateway:kbank` is KBANK. */
const OWN_BANK = 'bank:';
const HOUSE_PREFIXES = ['gateway:', 'provider:', 'cost:'];

/** Statement type of a kind of movement. @throws for an unknown kind */
export function statementTypeOf(kind: string): StatementType {
  const type = TYPES[kind];
  if (!type) throw new Error(`movements of the kind "${kind}" have no place in the statement`);
  return type;
}

const TYPES: Readonly<Record<string, StatementType>> = {
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
  if (account.startsWith(GAME)) return account.slice(GAME.length);
  if (account === 'wallet-app') return 'WALLET_APP';
  // Assigned by an operator: any bank.
  if (account === 'suspense') return 'BANK';
  if (account === 'cost:coupon') return 'LUCKYDRAW';
  // The own account is not shown to members.
  if (account.startsWith(OWN_BANK)) return account.split('-')[0] ?? account;
  const prefix = HOUSE_PREFIXES.find((one) => account.startsWith(one));
  return prefix ? account.slice(prefix.length).toUpperCase() : account;
}

/** Failure reason and bank of a withdrawal, which the ledger lacks. */
export type WithdrawOutcome = { reason: string | null; bankCode: string };

type Link = 'bonus' | 'promotion' | 'invite' | 'refund' | 'luckydraw';
const LINKS: Readonly<Record<ConditionKind, Link>> = {
  BONUS: 'bonus',
  PROMOTION: 'promotion',
  INVITE: 'invite',
  REFUND: 'refund',
  COUPON: 'luckydraw',
};

/** Name of an incentive, under the key of its kind; and its end, in the entry that ends it. */
export function rewardSource(
  { kind }: Pick<StatementRow, 'kind'>,
  grant: GrantDescription | undefined,
  language: Language,
): Pick<StatementEntry, Link | 'end'> {
  if (!grant) return {};
  const end = kind === 'finish_bonus' && grant.end ? { end: grant.end } : {};
  return { [LINKS[grant.kind]]: { description: grant.name[language] }, ...end };
}

/** A movement of the wallet in wire format. */
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
    reason: row.state === 'FAILED' ? (outcome?.reason ?? null) : null,
    createdAt: row.at.toISOString(),
  };
}
