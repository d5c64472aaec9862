import { PROMPTPAY_GATEWAYS } from '@krapao/contract/constants';
import { activityText } from '@krapao/contract/statement';
import { useTranslation } from 'react-i18next';
import { errorTranslation } from '../../api/error-text.ts';
import type { Reply } from '../../api/types.ts';
import { formatAmount } from '../../format/number.ts';
import { i18n } from '../../i18n/i18n.ts';
import { useWallet, WALLET } from '../../member/wallet.ts';
import { withdrawReasonText } from '../../member/withdrawal.ts';
import { statedTime, useTimeAndFee } from '../time-and-fee.tsx';

export type TimelineItem = Reply<'GET /api/money/{key}'>;

export type Fact = { label: string; value: string };

export type MoneyTexts = {
  /** From, to with the masked account, and what a deposit or withdrawal promised. */
  facts: readonly Fact[];
  /** Why it failed. */
  reason: string | undefined;
  /** What its end means for the money. */
  note: string | undefined;
};

/** The amount of an item: its effect on the wallet, else what was requested. */
export const shownAmount = ({ amount, requested }: TimelineItem): number =>
  amount === 0 ? (requested ?? Number.NaN) : amount;

/** How the amount is signed: not at all if the money was returned, and without colour for a transfer. */
export const amountSign = ({ kind, status }: TimelineItem): boolean | 'neutral' =>
  status !== 'FAILED' && (kind === 'transfer' ? 'neutral' : true);

const OWN_BANK = /^bank:([A-Z0-9]+)$/;

/** Returns a function for the name of an account in the current language. */
function useAccountNames(): (account: string) => string {
  const { t } = useTranslation('money');
  const slots = useWallet().data?.slots;
  return (account) => {
    if (account === WALLET) return t('wallet');
    if (account === 'WALLET_APP') return t('walletApp');
    if (account === 'BANK') return t('bank');
    if (PROMPTPAY_GATEWAYS.includes(account)) return t('promptPay');
    return OWN_BANK.exec(account)?.[1] ?? slots?.find(({ code }) => code === account)?.name ?? account;
  };
}

const DEPOSIT_KINDS: ReadonlySet<TimelineItem['kind']> = new Set(['qr', 'notice', 'slip', 'gift', 'deposit']);

/** Returns a function for the title of an item: of a deposit, the text of its statement row. */
export function useItemTitle(): (item: Pick<TimelineItem, 'kind' | 'from' | 'to'>) => string {
  const { t } = useTranslation(['money', 'statement']);
  const nameOf = useAccountNames();
  return ({ kind, from, to }) => {
    if (!DEPOSIT_KINDS.has(kind)) return t(`money:kind.${kind}`);
    const { key, values } = activityText({ statementType: 'deposit', from, to }, nameOf);
    // The key and its values belong together, which the types of a union of keys do not show.
    return t(`statement:${key as 'deposit'}`, values as { from: string });
  };
}

/** Texts of an item in the current language. */
export function useMoneyTexts(item: TimelineItem): MoneyTexts {
  const { t } = useTranslation('money');
  const nameOf = useAccountNames();
  const { from, to, account, kind, status, requested, currency, bankReference } = item;
  // The masked account and its bank belong to the side outside, which `from` names by the gateway or receiving bank.
  const withAccount = (name: string, isOutside: boolean): string =>
    account && isOutside ? `${item.bank ?? name} ${account}` : name;
  const isPromised = kind !== 'transfer' && kind !== 'bonus';
  const { time, fee } = useTimeAndFee(
    // Undefined from an older node.
    item.usualTime ?? statedTime(kind === 'withdraw' ? 'withdraw' : 'deposit'),
    currency,
  );
  // What has failed took no time.
  const promise = isPromised ? [...(status === 'FAILED' ? [] : [time]), fee] : [];
  const facts = [
    // An incentive comes from the operator.
    ...(kind === 'bonus' ? [] : [{ label: t('from'), value: withAccount(nameOf(from), to === WALLET) }]),
    { label: t('to'), value: withAccount(nameOf(to), from === WALLET) },
    ...(bankReference && kind !== 'deposit' ? [{ label: t('bankReference'), value: bankReference }] : []),
    ...promise,
  ];
  return {
    facts,
    reason: status === 'FAILED' ? reasonText(item) : undefined,
    note: noteOf(),
  };

  function noteOf(): string | undefined {
    if (kind === 'withdraw' && status === 'SUCCESS') return t('bankShows');
    const isBack = status === 'FAILED' && item.steps.some(({ name }) => name === 'returned');
    return isBack && requested !== null
      ? t('back', { amount: formatAmount(requested, { currency, withSign: true }) })
      : undefined;
  }
}

/** Ends whose step says everything. */
const SAID_BY_STEP = new Set(['CANCELLED', 'EXPIRED', 'THIRD_PARTY', 'SUCCESS']);

function reasonText({ kind, reason }: TimelineItem): string | undefined {
  if (reason === null || SAID_BY_STEP.has(reason)) return undefined;
  if (kind === 'slip' || kind === 'notice') {
    const words: unknown = i18n.getResource(i18n.language, 'statement', ['slips', 'reason', reason] as never);
    return typeof words === 'string' ? words : undefined;
  }
  const known = errorTranslation(reason);
  return known ?? (kind === 'withdraw' ? withdrawReasonText(reason) : errorTranslation('TRANSFER_FAIL'));
}
