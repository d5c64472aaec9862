import type { Accounts, Transfer } from '../bank/accounts.ts';
import { bankNumber } from '../bank/banks.ts';
import { maskedHolder } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import { thaiTime } from '../time.ts';
import { isoCurrency } from './currency.ts';

const KEPT_MS = 7 * 86_400_000;
const DELAY_DEFAULT_MS = 60_000;

/** Banks that return unmasked numbers for transfers to their own accounts. */
const OPEN_BANKS: ReadonlySet<string> = new Set(['KBANK', 'BCEL']);

type LookUpDeps = { accounts: Accounts; faults: Faults };

/** Looks up a transfer by the QR code of its slip. */
export function lookUpSlip(
  requested: { sendingBank: string; transRef: string },
  { accounts, faults }: LookUpDeps,
): object {
  if (faults.takeForEvent('bank', 'bank-down', 'slip-lookup')) return bankDown();
  if (faults.takeForEvent('bank', 'captcha', 'slip-lookup')) return refusal('8601', 'The captcha was refused');
  const delayFault = faults.takeForEvent('bank', 'delayed', 'slip-lookup');
  if (delayFault) {
    const delaySeconds = Math.ceil((delayFault.delayMs ?? DELAY_DEFAULT_MS) / 1000);
    return { ...refusal('1010', 'The sending bank shows it later'), delaySeconds };
  }
  const foundTransfer = accounts.findByReference(requested.sendingBank, requested.transRef);
  if (!foundTransfer || foundTransfer.layout === 'none' || Date.now() - foundTransfer.at > KEPT_MS)
    return refusal('8404', 'Not found');
  return { code: '0000', message: 'Success', data: transferView(foundTransfer, accounts) };
}

/** The reply when the sending bank is unreachable. */
export function bankDown(): object {
  return refusal('8503', 'The sending bank does not answer');
}

function refusal(code: string, message: string): object {
  return { code, message, data: null };
}

function transferView(transfer: Transfer, accounts: Accounts): object {
  return {
    sendingBank: bankNumber(transfer.from.bankCode),
    transRef: transfer.transRef,
    amount: formatMoney(transfer.amount),
    currency: isoCurrency(transfer.currency),
    at: thaiTime(transfer.at),
    from: { bankCode: transfer.from.bankCode, ...maskedHolder(transfer.from.bankCode, transfer.from) },
    to: receiverView(transfer, accounts),
  };
}

function receiverView({ kind, to, reference }: Transfer, accounts: Accounts): object {
  const { bankCode, accountNo, accountName } = to;
  if (kind === 'pay-qr') return { type: 'BILLER', bankCode, accountNo, name: accountName, reference1: reference };
  const isOpen = OPEN_BANKS.has(bankCode) && accounts.find(bankCode, accountNo)?.owner === 'operator';
  const maskedReceiver = maskedHolder(bankCode, to);
  return {
    type: 'BANKAC',
    bankCode,
    accountNo: isOpen ? accountNo : maskedReceiver.accountNo,
    name: maskedReceiver.name,
    reference1: null,
  };
}
