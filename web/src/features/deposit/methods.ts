import { PROMPTPAY_GATEWAYS, QUICK_AMOUNTS } from '@krapao/contract/constants';
import { depositMethodId, WALLET_APP_CURRENCY } from '@krapao/contract/deposit-advice';
import type { Currency } from '@krapao/contract/money';
import { onSessionEnd } from '../../api/session.ts';
import type { Reply } from '../../api/types.ts';
import { bankName } from '../../format/text.ts';
import { i18n } from '../../i18n/i18n.ts';

type DepositMethods = Reply<'GET /api/lookup/deposit'>;
export type DepositAccount = DepositMethods['banks'][number];
export type WalletAccount = DepositMethods['wallets'][number];

/** A deposit method. Its `id` is the same after reloading. */
export type DepositMethod =
  | {
      kind: 'qr';
      id: string;
      account: DepositAccount;
      /** Position among the methods that are PromptPay; undefined for others. */
      promptPay: number | undefined;
    }
  | { kind: 'bank'; id: string; account: DepositAccount; takesSlips: boolean }
  | { kind: 'wallet'; id: string; wallet: WalletAccount }
  | { kind: 'slip'; id: string };

export const SLIP_METHOD = depositMethodId.slip;

/** Deposit methods of one kind, in display order. */
export type MethodGroup = { kind: DepositMethod['kind']; methods: DepositMethod[] };

/** Groups the deposit methods for a currency; empty groups are omitted. */
export function groupMethods({ banks, wallets, isManual }: DepositMethods, currency: Currency): MethodGroup[] {
  const currencyAccounts = banks.filter((account) => account.currency === currency);
  const gateways = currencyAccounts.filter(({ bankType }) => bankType === 'PAYMENT');
  const promptPay = gateways.filter(({ bankCode }) => PROMPTPAY_GATEWAYS.includes(bankCode));
  const groups: MethodGroup[] = [
    { kind: 'qr', methods: gateways.map((account) => qrMethodOf(account, promptPay.indexOf(account) + 1)) },
    {
      kind: 'bank',
      methods: currencyAccounts
        .filter(({ bankType }) => bankType === 'BANK')
        .map((account) => bankMethodOf(account, isManual)),
    },
    { kind: 'wallet', methods: currency === WALLET_APP_CURRENCY ? wallets.map(walletMethodOf) : [] },
    { kind: 'slip', methods: isManual ? [{ kind: 'slip', id: SLIP_METHOD }] : [] },
  ];
  return groups.filter(({ methods }) => methods.length > 0);
}

const qrMethodOf = (account: DepositAccount, promptPay: number): DepositMethod => ({
  kind: 'qr',
  id: depositMethodId.qr(account),
  account,
  promptPay: promptPay || undefined,
});
const bankMethodOf = (account: DepositAccount, takesSlips: boolean): DepositMethod => ({
  kind: 'bank',
  id: depositMethodId.bank(account),
  account,
  takesSlips,
});
const walletMethodOf = (wallet: WalletAccount): DepositMethod => ({
  kind: 'wallet',
  id: depositMethodId.wallet(wallet),
  wallet,
});

/** Whether transfers to an account are detected automatically; otherwise a slip is required. */
export const isAutoDetected = ({ mode }: { mode: string }): boolean => mode === 'AUTO';

/** Whether money paid by a method needs no slip. */
export const isAutomatic = (method: DepositMethod): boolean =>
  method.kind === 'qr' ||
  (method.kind === 'bank' && isAutoDetected(method.account)) ||
  (method.kind === 'wallet' && isAutoDetected(method.wallet));

const hasQuickAmounts = (code: string): code is keyof typeof QUICK_AMOUNTS => Object.hasOwn(QUICK_AMOUNTS, code);

/** Quick amounts of a gateway. At the gateway FP, the minimum replaces only the first amount. */
export function quickAmounts({ bankCode, minimum }: DepositAccount): readonly number[] {
  const amounts: readonly number[] = hasQuickAmounts(bankCode) ? QUICK_AMOUNTS[bankCode] : [];
  if (bankCode !== 'FP' || minimum === null) return amounts;
  return [...new Set([minimum, ...amounts.slice(1)])];
}

let openedId: string | undefined;
let usedId: string | undefined;
onSessionEnd(() => {
  openedId = undefined;
  usedId = undefined;
});

/** Id of the method of this visit that the dialog opens again: the last one chosen in the list. */
export const lastMethod = (): string | undefined => openedId;

/** Id of the last method of this visit, chosen in the list or recommended. */
export const lastUsedMethod = (): string | undefined => usedId;

export function rememberMethod(id: string, isRecommended = false): void {
  usedId = id;
  openedId = isRecommended ? undefined : id;
}

/** Whether any bank app pays the method's codes, whose amount may change by a fraction. */
export const takesAnyBankApp = (method: DepositMethod): boolean =>
  method.kind === 'qr' && method.promptPay !== undefined;

/** Name of a method's bank, as members see it at their bank; undefined for the wallet app and slips. */
export function bankOf(method: DepositMethod): string | undefined {
  if (method.kind === 'qr' && method.promptPay !== undefined) {
    const name = i18n.t('deposit:promptPay');
    return method.promptPay === 1 ? name : `${name} ${method.promptPay}`;
  }
  return method.kind === 'qr' || method.kind === 'bank' ? bankName(method.account.bank) : undefined;
}
