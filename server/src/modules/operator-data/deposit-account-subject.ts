import { currencies } from '@krapao/contract/money';
import { z } from 'zod';
import { gatewaySettings } from '../../adapters/gateway/index.ts';
import {
  isWholeUnit,
  decimalToMinor,
  nameShape,
  positiveAmountShape,
  uniqueBy,
  WHOLE_KIP_MESSAGE,
} from '../../platform/documents/fields.ts';
import {
  bankAccountKey,
  type ConfigSubject,
  type Parties,
  type PreviewContext,
  type Problem,
  findRemoved,
  warnUncheckedParties,
} from '../../platform/documents/subject.ts';
import { replaceDepositAccounts, selectDepositAccounts } from './deposit-account-queries.ts';
import { readSeed } from './seed.ts';
import { type BankRule, lockTables, selectBankRules } from './subject-queries.ts';

const ACCOUNT_NO = /^\d{1,40}$/;
const holderShape = z.string().max(200);

const accountShape = z
  .strictObject({
    bankCode: z.string().regex(/^[A-Z0-9]{2,16}$/, 'must be 2 to 16 of A-Z and 0-9'),
    /** PAYMENT: a gateway. BANK: an account of the operator. */
    bankType: z.enum(['PAYMENT', 'BANK']),
    /** AUTO: the bank's feed is read. MANUAL: members send slips. QR: a gateway. */
    mode: z.enum(['QR', 'AUTO', 'MANUAL']),
    nameTH: nameShape,
    nameEN: nameShape,
    accountName: holderShape.default(''),
    accountNo: z.string().default(''),
    currency: z.enum(currencies),
    minimum: positiveAmountShape.nullable().default(null),
    maximum: positiveAmountShape.nullable().default(null),
    isEnabled: z.boolean().default(true),
  })
  .superRefine((account, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    const { bankType, mode, accountName, accountNo, minimum, maximum, currency } = account;
    if ((bankType === 'PAYMENT') !== (mode === 'QR')) refuse('mode', 'must be QR for PAYMENT, AUTO or MANUAL for BANK');
    if (bankType === 'PAYMENT' && accountNo !== '') refuse('accountNo', 'must be empty for PAYMENT');
    if (bankType === 'BANK' && !ACCOUNT_NO.test(accountNo)) refuse('accountNo', 'must be digits 0-9');
    if (bankType === 'BANK' && accountName.trim() === '') refuse('accountName', 'must not be blank');
    if (minimum !== null && maximum !== null && decimalToMinor(maximum) < decimalToMinor(minimum)) {
      refuse('maximum', 'must be at least minimum');
    }
    for (const [name, limit] of Object.entries({ minimum, maximum })) {
      if (limit !== null && !isWholeUnit(limit, currency)) refuse(name, WHOLE_KIP_MESSAGE);
    }
  });
type Account = z.output<typeof accountShape>;
const methodKey = ({ bankType, bankCode, accountNo }: Account): string =>
  [bankType, bankCode, accountNo].filter(Boolean).join(' ');

const walletShape = z.strictObject({
  /** AUTO: its feed is read. GIFT: receives gift links. */
  mode: z.enum(['AUTO', 'GIFT']),
  accountName: nameShape,
  accountNo: z.string().regex(/^\d{9,15}$/, 'must be the digits of a phone number'),
  isEnabled: z.boolean().default(true),
});
const walletKey = ({ mode, accountNo }: z.output<typeof walletShape>): string => `${mode} ${accountNo}`;

const schema = z.strictObject({
  accounts: z.array(accountShape).max(500).check(uniqueBy(methodKey, 'account')),
  walletApp: z.array(walletShape).max(50).check(uniqueBy(walletKey, 'account')),
});
export type DepositAccountsDocument = z.output<typeof schema>;

/** Gateways, bank accounts and wallet-app accounts that members pay to. */
export const depositAccountSubject: ConfigSubject<DepositAccountsDocument> = {
  name: 'deposit-accounts',
  schema,
  lock: (tx) => lockTables(tx, 'deposit_account', 'deposit_wallet_app'),
  read: selectDepositAccounts,
  apply: replaceDepositAccounts,
  seed: () => ({ accounts: readSeed('deposit'), walletApp: readSeed('wallets') }),
  async preview(on, { accounts, walletApp }, { parties }: PreviewContext) {
    // From the tables: after a change by SQL one invalid account must not make all others new.
    const before = await selectDepositAccounts(on);
    const banks = await selectBankRules(on);
    // An unchanged account was accepted before. It must not block a change of another one.
    const isNew = (item: object, items: readonly object[]): boolean =>
      !items.some((other) => JSON.stringify(other) === JSON.stringify(item));
    const problems = accounts.flatMap((account, index) =>
      isNew(account, before.accounts)
        ? findAccountProblems(account, banks, parties).map(({ path, message }) => ({
            path: ['accounts', index, ...path],
            message,
          }))
        : [],
    );
    for (const [index, wallet] of walletApp.entries()) {
      if (!parties || !wallet.isEnabled || !isNew(wallet, before.walletApp)) continue;
      if (parties.walletAppPhone === wallet.accountNo) continue;
      problems.push({ path: ['walletApp', index, 'accountNo'], message: 'is not the phone of the outside file' });
    }
    const isEnabled = (wallet: { isEnabled: boolean }): boolean => wallet.isEnabled;
    const removed = [
      ...findRemoved(before.accounts.filter(isRead), accounts.filter(isRead), methodKey).map(methodKey),
      ...findRemoved(before.walletApp.filter(isEnabled), walletApp.filter(isEnabled), walletKey).map(
        (wallet) => `walletApp ${walletKey(wallet)}`,
      ),
    ];
    return {
      problems,
      effects: [
        ...warnUncheckedParties(parties),
        ...removed.map(
          (account) =>
            `${account} is no longer offered or read: transfers to it are not credited until it is enabled again.`,
        ),
      ],
    };
  },
};

const isRead = ({ bankType, isEnabled }: Account): boolean => bankType === 'BANK' && isEnabled;

function findAccountProblems(
  account: Account,
  banks: ReadonlyMap<string, BankRule>,
  parties: Parties | undefined,
): Problem[] {
  return account.bankType === 'PAYMENT'
    ? findGatewayProblems(account, parties)
    : findBankProblems(account, banks, parties);
}

function findGatewayProblems({ bankCode, currency, isEnabled }: Account, parties: Parties | undefined): Problem[] {
  if (!Object.hasOwn(gatewaySettings, bankCode.toLowerCase())) {
    return [{ path: ['bankCode'], message: `there is no gateway ${bankCode}` }];
  }
  if (!parties || !isEnabled) return [];
  const gatewayCurrency = parties.gateways.get(bankCode);
  if (gatewayCurrency === undefined) return [{ path: ['bankCode'], message: 'the outside file has no such gateway' }];
  return gatewayCurrency === currency ? [] : [{ path: ['currency'], message: `must be ${gatewayCurrency}` }];
}

function findBankProblems(
  account: Account,
  banks: ReadonlyMap<string, BankRule>,
  parties: Parties | undefined,
): Problem[] {
  const { bankCode, accountNo, currency } = account;
  const bank = banks.get(bankCode);
  if (!bank) return [{ path: ['bankCode'], message: `there is no bank ${bankCode}` }];
  const [digitsMin, digitsMax] = bank.digits;
  const problems: Problem[] = [];
  if (accountNo.length < digitsMin || accountNo.length > digitsMax) {
    problems.push({ path: ['accountNo'], message: `must have ${digitsMin} to ${digitsMax} digits at ${bankCode}` });
  }
  const bankCurrency = bank.country === 'LA' ? 'LAK' : 'BAHT';
  if (currency !== bankCurrency) problems.push({ path: ['currency'], message: `must be ${bankCurrency}` });
  if (parties && account.isEnabled && !parties.bankAccounts.has(bankAccountKey(account))) {
    problems.push({ path: ['accountNo'], message: 'is no account of the bank in the outside file' });
  }
  return problems;
}
