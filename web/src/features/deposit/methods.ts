import { QUICK_AMOUNTS } from '@krapao/contract/constants';
import type { Reply } from '../../api/types.ts';
import type { Currency } from '@krapao/contract/money';
import { onSessionEnd } from '../../api/session.ts';

type Lookup = Reply<'GET /api/lookup/deposit'>;
export type DepositAccount = Lookup['banks'][number];
export type WalletAccount = Lookup['wallets'][number];

/** A deposit method. `id` is stable across loads. */
export type DepositMethod =
  | { kind: 'qr'; id: string; account: DepositAccount }
  | { kind: 'bank'; id: string; account: DepositAccount; takesSlips: boolean }
  | { kind: 'wallet'; id: string; wallet: WalletAccount }
  | { kind: 'slip'; id: string };

/** Id of the slip method. */
export const SLIP_METHOD = 'slip';

/** Methods of one kind, in display order. */
export type MethodGroup = { kind: DepositMethod['kind']; ways: DepositMethod[] };

/** The wallet app only holds baht. */
const WALLET_APP_CURRENCY: Currency = 'BAHT';

/** Methods for a currency; empty groups are omitted. */
export function groupMethods({ banks, wallets, isManual }: Lookup, currency: Currency): MethodGroup[] {
  const own = banks.filter((account) => account.currency === currency);
  const groups: MethodGroup[] = [
    { kind: 'qr', ways: own.filter(({ bankType }) => bankType === 'PAYMENT').map(qrWay) },
    {
      kind: 'bank',
      ways: own.filter(({ bankType }) => bankType === 'BANK').map((account) => bankWay(account, isManual)),
    },
    { kind: 'wallet', ways: currency === WALLET_APP_CURRENCY ? wallets.map(walletWay) : [] },
    { kind: 'slip', ways: isManual ? [{ kind: 'slip', id: SLIP_METHOD }] : [] },
  ];
  return groups.filter(({ ways }) => ways.length > 0);
}

const qrWay = (account: DepositAccount): DepositMethod => ({ kind: 'qr', id: `qr ${account.bankCode}`, account });
const bankWay = (account: DepositAccount, takesSlips: boolean): DepositMethod => ({
  kind: 'bank',
  id: `bank ${account.bankCode} ${account.bankAccountNo}`,
  account,
  takesSlips,
});
const walletWay = (wallet: WalletAccount): DepositMethod => ({
  kind: 'wallet',
  id: `wallet ${wallet.mode} ${wallet.walletAccountNo}`,
  wallet,
});

/** Whether transfers to the account are detected automatically; otherwise only with a slip. */
export const isAutoDetected = ({ mode }: { mode: string }): boolean => mode === 'AUTO';

const isKnown = (code: string): code is keyof typeof QUICK_AMOUNTS => Object.hasOwn(QUICK_AMOUNTS, code);

/** Quick amounts of a gateway. At FP the minimum replaces only the first one. */
export function quickAmounts({ bankCode, minimum }: DepositAccount): readonly number[] {
  const amounts: readonly number[] = isKnown(bankCode) ? QUICK_AMOUNTS[bankCode] : [];
  if (bankCode !== 'FP' || minimum === null) return amounts;
  return [...new Set([minimum, ...amounts.slice(1)])];
}

let last: string | undefined;
onSessionEnd(() => {
  last = undefined;
});

/** The last used method of this visit. */
export const lastMethod = (): string | undefined => last;

export function rememberMethod(id: string): void {
  last = id;
}
