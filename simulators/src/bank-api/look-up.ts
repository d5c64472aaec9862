import type { Accounts, Transfer } from '../bank/accounts.ts';
import { bankNumber } from '../bank/banks.ts';
import { shownBy } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import { thaiTime } from '../time.ts';
import { isoCurrency } from './currency.ts';

const KEPT_MS = 7 * 86_400_000;
const DELAY_DEFAULT_MS = 60_000;

/** Banks that return unmasked numbers for transfers to their own accounts. */
const OPEN_BANKS: ReadonlySet<string> = new Set(['KBANK', 'BCEL']);

type Deps = { accounts: Accounts; faults: Faults };

/** Looks up a transfer by the code on its slip. */
export function lookUpSlip(asked: { sendingBank: string; transRef: string }, { accounts, faults }: Deps): object {
  if (faults.takeForEvent('bank', 'bank-down', 'slip-lookup')) return bankDown();
  if (faults.takeForEvent('bank', 'captcha', 'slip-lookup')) return refusal('8601', 'The captcha was refused');
  const delayed = faults.takeForEvent('bank', 'delayed', 'slip-lookup');
  if (delayed) {
    const delaySeconds = Math.ceil((delayed.delayMs ?? DELAY_DEFAULT_MS) / 1000);
    return { ...refusal('1010', 'The sending bank shows it later'), delaySeconds };
  }
  const found = accounts.findByReference(asked.sendingBank, asked.transRef);
  if (!found || found.layout === 'none' || Date.now() - found.at > KEPT_MS) return refusal('8404', 'Not found');
  return { code: '0000', message: 'Success', data: shown(found, accounts) };
}

/** The answer of an unreachable sending bank. */
export function bankDown(): object {
  return refusal('8503', 'The sending bank does not answer');
}

function refusal(code: string, message: string): object {
  return { code, message, data: null };
}

function shown(moved: Transfer, accounts: Accounts): object {
  return {
    sendingBank: bankNumber(moved.from.bankCode),
    transRef: moved.transRef,
    amount: formatMoney(moved.amount),
    currency: isoCurrency(moved.currency),
    at: thaiTime(moved.at),
    from: { bankCode: moved.from.bankCode, ...shownBy(moved.from.bankCode, moved.from) },
    to: shownReceiver(moved, accounts),
  };
}

function shownReceiver({ kind, to, reference }: Transfer, accounts: Accounts): object {
  const { bankCode, accountNo, accountName } = to;
  if (kind === 'pay-qr') return { type: 'BILLER', bankCode, accountNo, name: accountName, reference1: reference };
  const isOpen = OPEN_BANKS.has(bankCode) && accounts.find(bankCode, accountNo)?.owner === 'operator';
  const masked = shownBy(bankCode, to);
  return {
    type: 'BANKAC',
    bankCode,
    accountNo: isOpen ? accountNo : masked.accountNo,
    name: masked.name,
    reference1: null,
  };
}
