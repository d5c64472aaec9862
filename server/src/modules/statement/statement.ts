import type { statementEntry, StatementType } from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { z } from 'zod';
import type { StatementRow } from '../../ledger/index.ts';
import type { ConditionKind, GrantDescription } from '../incentive/index.ts';

export type StatementEntry = z.input<typeof statementEntry>;

const GAME = 'GAME:';
/** House accounts that a person knows by another name: `gateway:kbank` is KBANK, `bank` stays what it is. */
const OWN_BANK = 'bank:';
const HOUSE_PREFIXES = ['gateway:', 'provider:', 'cost:'];

/** What a movement is called in the statement. Throws for one that has no word yet. */
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
 * A ledger account as the statement names it: WALLET, WALLET_APP, the code of a game or gateway, `bank:SCB`, BANK, or what the
 * house gave money as: BONUS, PROMOTION, REFUND, INVITE, LUCKYDRAW.
 */
export function counterpartyOf(account: string): string {
  if (account.startsWith(GAME)) return account.slice(GAME.length);
  if (account === 'wallet-app') return 'WALLET_APP';
  // Money that an operator has found the owner of came by a bank, whichever it was.
  if (account === 'suspense') return 'BANK';
  if (account === 'cost:coupon') return 'LUCKYDRAW';
  // Which of our accounts it was is not shown to members.
  if (account.startsWith(OWN_BANK)) return account.split('-')[0] ?? account;
  const prefix = HOUSE_PREFIXES.find((one) => account.startsWith(one));
  return prefix ? account.slice(prefix.length).toUpperCase() : account;
}

/** What is known of a withdrawal besides the ledger's lines: the bank that it went to, and why it failed. */
export type WithdrawOutcome = { reason: string | null; bankCode: string };

type Link = 'bonus' | 'promotion' | 'invite' | 'refund' | 'luckydraw';
const LINKS: Readonly<Record<ConditionKind, Link>> = {
  BONUS: 'bonus',
  PROMOTION: 'promotion',
  INVITE: 'invite',
  REFUND: 'refund',
  COUPON: 'luckydraw',
};

/** What an incentive was called, under the word for its kind; with the line that ends it, how it ended. */
export function rewardSource(
  { kind }: Pick<StatementRow, 'kind'>,
  given: GrantDescription | undefined,
  language: Language,
): Pick<StatementEntry, Link | 'end'> {
  if (!given) return {};
  const end = kind === 'finish_bonus' && given.end ? { end: given.end } : {};
  return { [LINKS[given.kind]]: { description: given.name[language] }, ...end };
}

/** A movement of the wallet as it goes out. */
export function toWireEntry(line: StatementRow, outcome?: WithdrawOutcome): StatementEntry {
  return {
    _id: String(line.operationId),
    statementType: statementTypeOf(line.kind),
    status: line.state,
    from: counterpartyOf(line.debit),
    to: outcome?.bankCode ?? counterpartyOf(line.credit),
    amount: toWire(line.amount),
    requested: toWire(line.requested),
    reference: line.reference,
    reason: line.state === 'FAILED' ? (outcome?.reason ?? null) : null,
    createdAt: line.at.toISOString(),
  };
}
