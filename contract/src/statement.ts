import { PROMPTPAY_GATEWAYS } from './constants.ts';
import type { ConditionState } from './states.ts';

export const statementTypes = ['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer'] as const;
export type StatementType = (typeof statementTypes)[number];

/** SUCCESS and FAILED are final; anything else is shown as in progress. */
export const statementStatuses = ['SUCCESS', 'FAILED', 'PROCESSING'] as const;
export type StatementStatus = (typeof statementStatuses)[number];

/** Shortest reference prefix that can be searched for. */
export const REFERENCE_PREFIX_MIN = 4;

/** Movements in one part of a file at most. */
export const EXPORT_PART_LINES = 20_000;
/** Longest period of one file: 12 months. */
export const EXPORT_DAYS_MAX = 366;
export const exportFormats = ['pdf', 'csv'] as const;

/** What the text of a movement depends on; a subset of a statement entry. */
export type DescribedEntry = {
  statementType: StatementType;
  from: string;
  to: string;
  end?: ConditionState | undefined;
} & Partial<Record<RewardSource, { description: string } | undefined>>;

const rewardSources = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'] as const;
export type RewardSource = (typeof rewardSources)[number];

/** Source of an entry's reward: the field bonus, promotion … that is set; bonus if none is. */
export function rewardSource(entry: DescribedEntry): { kind: RewardSource; description: string | undefined } {
  const kind = rewardSources.find((source) => entry[source] !== undefined) ?? 'bonus';
  return { kind, description: entry[kind]?.description };
}

/** Counterparty of an entry. */
export type Counterparty =
  | { kind: 'bank'; bank: string | undefined }
  | { kind: 'walletApp' }
  | { kind: 'other'; name: string };

/** An account of the operator at a bank. */
const BANK = /^bank:([A-Z0-9]+)$/;
const BANK_CODE = /^[A-Z]{2,8}$/;

/** Parses a name of the statement: `bank:SCB`, `BANK` for any bank, `WALLET_APP`, or the code of a gateway or game. */
export function counterpartyOf(account: string): Counterparty {
  const [, bank] = BANK.exec(account) ?? [];
  if (bank || account === 'BANK') return { kind: 'bank', bank };
  if (account === 'WALLET_APP') return { kind: 'walletApp' };
  return { kind: 'other', name: account };
}

/** Bank of a withdrawal; undefined if the statement names an account of the operator. */
export const entryBank = (to: string): string | undefined => (BANK_CODE.test(to) ? to : undefined);

/** Whether an entry moves the member's money between the wallet and a game: it neither arrives nor leaves. */
export const isOwnTransfer = ({ statementType }: Pick<DescribedEntry, 'statementType'>): boolean =>
  statementType === 'transfer';

type CancellableSource = Extract<RewardSource, 'bonus' | 'promotion'>;
/** Key of the text of a movement in the phrases of the statement. */
export type ActivityKey =
  | 'withdraw'
  | 'withdrawPlain'
  | 'transfer'
  | `${'bonus' | 'finish_bonus' | 'expired'}.${RewardSource}`
  | `cancelled.${CancellableSource}`
  | 'depositBank'
  | 'depositBankPlain'
  | 'depositWalletApp'
  | 'depositPromptPay'
  | 'deposit';
/** Key and values of the text of a movement. */
export type ActivityText = { key: ActivityKey; values: Readonly<Record<string, string>> };

/** Text of a movement. @param nameOf name of WALLET and of a game, by code */
export function activityText(entry: DescribedEntry, nameOf: (account: string) => string): ActivityText {
  const { statementType, from, to } = entry;
  const text = (key: ActivityKey, values: ActivityText['values'] = {}): ActivityText => ({ key, values });
  if (statementType === 'withdraw') {
    const bank = entryBank(to);
    return bank ? text('withdraw', { to: bank }) : text('withdrawPlain');
  }
  if (statementType === 'transfer') return text('transfer', { from: nameOf(from), to: nameOf(to) });
  if (statementType !== 'deposit') {
    const { kind } = rewardSource(entry);
    if (entry.end === 'EXPIRED') return text(`expired.${kind}`);
    if (entry.end === 'CANCELLED' && (kind === 'bonus' || kind === 'promotion')) return text(`cancelled.${kind}`);
    return text(`${statementType}.${kind}`);
  }
  const counterparty = counterpartyOf(from);
  if (counterparty.kind === 'bank')
    return counterparty.bank ? text('depositBank', { bank: counterparty.bank }) : text('depositBankPlain');
  if (counterparty.kind === 'walletApp') return text('depositWalletApp');
  if (PROMPTPAY_GATEWAYS.includes(from)) return text('depositPromptPay');
  return text('deposit', { from: nameOf(from) });
}
