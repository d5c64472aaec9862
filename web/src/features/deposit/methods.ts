import { QUICK_AMOUNTS } from '@krapao/contract/constants';
import type { Reply } from '../../api/types.ts';
import type { Currency } from '@krapao/contract/money';
import { onSessionEnd } from '../../api/session.ts';

type DepositLookup = Reply<'GET /api/lookup/deposit'>;
export type DepositAccount = DepositLookup['banks'][number];
export type WalletAccount = DepositLookup['wallets'][number];

/** A deposit method. Its `id` is the same after reloading. */
export type DepositMethod =
  | { kind: 'qr'; id: string; account: DepositAccount }
  | { kind: 'bank'; id: string; account: DepositAccount; takesSlips: boolean }
  | { kind: 'wallet'; id: string; wallet: WalletAccount }
  | { kind: 'slip'; id: string };

/** Id of the slip method. */
export const SLIP_METHOD = 'slip';

/** Deposit methods of one kind, in display order. */
export type MethodGroup = { kind: DepositMethod['kind']; methods: DepositMethod[] };

/** Only baht can be sent by the wallet app. */
const WALLET_APP_CURRENCY: Currency = 'BAHT';

/** Groups the deposit methods for a currency; empty groups are omitted. */
export function groupMethods({ banks, wallets, isManual }: DepositLookup, currency: Currency): MethodGroup[] {
  const currencyAccounts = banks.filter((account) => account.currency === currency);
  const groups: MethodGroup[] = [
    { kind: 'qr', methods: currencyAccounts.filter(({ bankType }) => bankType === 'PAYMENT').map(qrMethodOf) },
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

const qrMethodOf = (account: DepositAccount): DepositMethod => ({ kind: 'qr', id: `qr ${account.bankCode}`, account });
const bankMethodOf = (account: DepositAccount, takesSlips: boolean): DepositMethod => ({
  kind: 'bank',
  id: `bank ${account.bankCode} ${account.bankAccountNo}`,
  account,
  takesSlips,
});
const walletMethodOf = (wallet: WalletAccount): DepositMethod => ({
  kind: 'wallet',
  id: `wallet ${wallet.mode} ${wallet.walletAccountNo}`,
  wallet,
});

/** Whether transfers to an account are detected automatically; otherwise a slip is required. */
export const isAutoDetected = ({ mode }: { mode: string }): boolean => mode === 'AUTO';

const hasQuickAmounts = (code: string): code is keyof typeof QUICK_AMOUNTS => Object.hasOwn(QUICK_AMOUNTS, code);

/** Quick amounts of a gateway. At the gateway FP, the minimum replaces only the first amount. */
export function quickAmounts({ bankCode, minimum }: DepositAccount): readonly number[] {
  const amounts: readonly number[] = hasQuickAmounts(bankCode) ? QUICK_AMOUNTS[bankCode] : [];
  if (bankCode !== 'FP' || minimum === null) return amounts;
  return [...new Set([minimum, ...amounts.slice(1)])];
}

let lastMethodId: string | undefined;
onSessionEnd(() => {
  lastMethodId = undefined;
});

/** Id of the last used deposit method of this visit. */
export const lastMethod = (): string | undefined => lastMethodId;

export function rememberMethod(id: string): void {
  lastMethodId = id;
}
