import { toDecimal } from '@krapao/contract/money';
import { plainPhone } from '@krapao/contract/rules';
import {
  findOperatedMember,
  memberLabels,
  type OperatedMember,
  restrictionReasons,
  setStatus,
  setWallet,
  unlock,
} from '../modules/account/index.ts';
import { selectReveals } from '../modules/game/index.ts';
import { inviteBlock, setInviteBlock } from '../modules/invite/index.ts';
import { usedAttempts } from '../modules/operator-data/index.ts';
import { blockedUntil } from '../modules/otp/index.ts';
import { refundsOf } from '../modules/refund/index.ts';
import type { Database } from '../platform/database/database.ts';
import { UserError } from '../platform/errors.ts';
import { operatorName, type Signature } from '../platform/operator-log.ts';
import { timeOf } from '../platform/time.ts';
import { refuseMore, requireArgument, requireOneOf, requireSignature, unknownAction } from './arguments.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE = [
  'Write one of these; MEMBER is a phone, an id or a code, NAME yours, WHY a reason:',
  '  `krapao members show MEMBER`',
  '  `krapao members status MEMBER active|inactive|deleted NAME WHY`',
  `  \`krapao members status MEMBER restricted ${restrictionReasons.join('|')} NAME WHY\``,
  '  `krapao members wallet MEMBER close|open NAME WHY`',
  '  `krapao members unlock MEMBER NAME WHY`',
  '  `krapao members invites MEMBER block|unblock NAME WHY`',
  '  `krapao members passwords MEMBER`',
  '  `krapao members refunds MEMBER`',
].join('\n');
const PHONE = /^\d{7,15}$/;

type Action = (context: DatabaseContext, args: string[]) => Promise<void>;
const ACTIONS: Readonly<Record<string, Action>> = {
  show: async (context, args) => show(context, await findOnlyMember(context.database, args)),
  status: changeStatus,
  wallet: changeWallet,
  unlock: unlockPhone,
  invites: changeInvites,
  passwords: async (context, args) => listReveals(context, await findOnlyMember(context.database, args)),
  refunds: async (context, args) => listRefunds(context, await findOnlyMember(context.database, args)),
};

export const members = withDatabase(async ([name = '', ...args], context) => {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw unknownAction(name === '' ? undefined : name, USAGE);
  await action(context, args);
  return 0;
});

async function findMember(database: Database, text: string | undefined): Promise<OperatedMember> {
  const member = await findOperatedMember(database, requireArgument(text, 'MEMBER', USAGE));
  if (!member) throw new UserError(`NO_USER: no member has the phone, id or code ${text ?? ''}.`);
  return member;
}

function findOnlyMember(database: Database, [text, ...rest]: string[]): Promise<OperatedMember> {
  refuseMore(rest, USAGE);
  return findMember(database, text);
}

const requireSigned = ([by, ...reason]: string[]): Signature => requireSignature(by, reason, USAGE);

async function show({ database, print }: DatabaseContext, member: OperatedMember): Promise<void> {
  const { id, phone, status, statusReason, closedWallet, bankAccount } = member;
  const [codesBlocked, invitesBlocked, attempts] = await Promise.all([
    blockedUntil(database, phone),
    inviteBlock(database, id),
    usedAttempts(database, [phone, id]),
  ]);
  const bank = bankAccount && `${bankAccount.bankCode} ${bankAccount.accountNo} ${bankAccount.accountName}`;
  const lines = [
    `${phone}  ${id}  ${member.memberCode}  ${member.name}  ${member.currency}`,
    `registered ${timeOf(member.createdAt)}, open sessions: ${member.sessions}`,
    `status: ${formatStatus(status, statusReason)}`,
    `wallet: ${closedWallet ? `closed ${timeOf(closedWallet.since)}: ${closedWallet.reason}` : 'open'}`,
    `bank account: ${bank ?? 'none'}`,
    ...(invitesBlocked === undefined ? [] : [`invites: blocked: ${invitesBlocked}`]),
    ...(codesBlocked === undefined ? [] : [`one-time codes: blocked until ${timeOf(codesBlocked)}`]),
    ...attempts.map(({ name, until }) => `limit ${name}: used up until ${timeOf(until)}`),
  ];
  print(`${lines.join('\n')}\n`);
}

const formatStatus = (status: string, reason: string): string => (reason === '' ? status : `${status} ${reason}`);

async function changeStatus({ database, print }: DatabaseContext, [text, statusArg, ...rest]: string[]): Promise<void> {
  requireArgument(text, 'MEMBER', USAGE);
  const status = requireOneOf(['active', 'inactive', 'restricted', 'deleted'], statusArg, {
    name: 'The status',
    usage: USAGE,
  });
  const isRestriction = status === 'restricted';
  const statusReason = isRestriction
    ? requireOneOf(restrictionReasons, rest[0], { name: 'The reason of a restriction', usage: USAGE })
    : '';
  const signature = requireSigned(isRestriction ? rest.slice(1) : rest);
  const member = await findMember(database, text);
  await setStatus(database, { memberId: member.id, status, statusReason, ...signature });
  const before = formatStatus(member.status, member.statusReason);
  print(
    `${await labelOf(database, member)} ${member.name}: ${before} → ${formatStatus(status, statusReason)}, by ${operatorName(signature)}.\n`,
  );
}

async function changeWallet({ database, print }: DatabaseContext, [text, word, ...rest]: string[]): Promise<void> {
  requireArgument(text, 'MEMBER', USAGE);
  const action = requireOneOf(['close', 'open'], word, { name: 'The change', usage: USAGE });
  const signature = requireSigned(rest);
  const member = await findMember(database, text);
  await setWallet(database, { memberId: member.id, action, ...signature });
  const state = action === 'close' ? 'closed' : 'open';
  print(`The wallet of member ${await labelOf(database, member)} is ${state}, by ${operatorName(signature)}.\n`);
}

/** A phone without a member can be locked too: during its registration. */
async function unlockPhone({ database, print }: DatabaseContext, [text, ...rest]: string[]): Promise<void> {
  requireArgument(text, 'MEMBER', USAGE);
  const signature = requireSigned(rest);
  const isPhone = text !== undefined && PHONE.test(plainPhone(text));
  const member = isPhone ? await findOperatedMember(database, text) : await findMember(database, text);
  const phone = member?.phone ?? plainPhone(text ?? '');
  await unlock(database, { phone, memberId: member?.id, ...signature });
  print(`${phone} is unlocked, by ${operatorName(signature)}.\n`);
}

async function changeInvites({ database, print }: DatabaseContext, [text, word, ...rest]: string[]): Promise<void> {
  requireArgument(text, 'MEMBER', USAGE);
  const action = requireOneOf(['block', 'unblock'], word, { name: 'The change', usage: USAGE });
  const signature = requireSigned(rest);
  const member = await findMember(database, text);
  await setInviteBlock(database, { memberId: member.id, action, ...signature });
  print(`Invites of member ${await labelOf(database, member)} are ${action}ed, by ${operatorName(signature)}.\n`);
}

async function labelOf(database: Database, { id }: OperatedMember): Promise<string> {
  return (await memberLabels(database, [id]))(id);
}

const REVEALS_MAX = 100;

async function listReveals({ database, print }: DatabaseContext, { id }: OperatedMember): Promise<void> {
  const reveals = await selectReveals(database, id, REVEALS_MAX);
  for (const { at, gameCode, username, action, address, requestId } of reveals) {
    print(`${timeOf(at)}  ${gameCode}  ${username}  ${action}  ${address}  request ${requestId}\n`);
  }
  print(`${reveals.length} times shown or received\n`);
}

async function listRefunds({ database, print }: DatabaseContext, member: OperatedMember): Promise<void> {
  const refunds = await refundsOf(database, member.id);
  for (const { from, until, amount, paidIn, lost } of refunds) {
    const period = `${timeOf(from)} to ${timeOf(until)}`;
    const figures = `paid in ${toDecimal(paidIn)}, lost ${toDecimal(lost)}`;
    print(`${period}  ${toDecimal(amount)} ${member.currency}  ${figures}\n`);
  }
  print(`${refunds.length} refunds\n`);
}
