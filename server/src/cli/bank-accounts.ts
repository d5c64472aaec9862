import { plainNumber } from '@krapao/contract/text/digits';
import { blockedBankAccounts, setBankAccountBlock } from '../modules/account/index.ts';
import { operatorName } from '../platform/operator-log.ts';
import { requireArgument, requireSignature, unknownAction, wrongArgument } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao bank-accounts` to see the blocked ones, or `krapao bank-accounts block|unblock BANK NUMBER NAME WHY`.';
const ACCOUNT_NUMBER = /^\d{1,40}$/;

export const bankAccounts = withDatabase(async ([action = 'list', ...rest], context) => {
  if (action === 'list' && rest.length === 0) return list(context);
  if (action !== 'block' && action !== 'unblock') throw unknownAction(action, USAGE);
  return change(context, action, rest);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const blocked = await blockedBankAccounts(database);
  for (const { bankCode, accountNo, note, memberId } of blocked) {
    print(`${bankCode} ${accountNo}  ${memberId === null ? 'no member' : `member ${memberId}`}  ${note}\n`);
  }
  print(`${blocked.length} blocked\n`);
  return 0;
}

async function change(
  { database, print }: DatabaseContext,
  action: 'block' | 'unblock',
  [bank, typedNumber, by, ...reason]: string[],
): Promise<number> {
  const bankCode = requireArgument(bank, 'BANK', USAGE);
  const accountNo = plainNumber(requireArgument(typedNumber, 'NUMBER', USAGE));
  if (!ACCOUNT_NUMBER.test(accountNo)) throw wrongArgument('NUMBER', 'at most 40 digits', typedNumber, USAGE);
  const signature = requireSignature(by, reason, USAGE);
  await setBankAccountBlock(database, { bankCode, accountNo, action, ...signature });
  print(`${bankCode} ${accountNo} is ${action}ed, by ${operatorName(signature)}.\n`);
  return 0;
}
