import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { backoffMs } from '../../../platform/jobs/resolver.ts';
import type { LookedUpTransfer } from '../../../adapters/slip-lookup.ts';
import { type TransferIdentity, houseOf, isPossibleSender } from '../bank-transfer/index.ts';
import { markCredited, markFailed, markManual, saveEarlierCredit, saveLookup, postpone } from './queries.ts';
import { type ManualReason, REFUSALS_MAX, type Slip, TRIES_MAX, VERDICT_PAUSE_MS, type SlipDeps } from './slip.ts';

type Verdict = { credited: true } | { reason: SlipReason } | { manual: ManualReason } | { again: true };

/** Banks name the longest waits themselves; the member is waiting too. */
const LATER_MS_MAX = 5 * 60_000;
const MINUTE_MS = 60_000;

/**
 * Asks the bank about the transfer that a slip names and does what follows. The picture has said which transfer; how
 * much, to whom, from whom and when is what the bank says. May run again after a crash at any point, and on several
 * nodes at once.
 */
export async function settleSlip(deps: SlipDeps, slip: Slip): Promise<void> {
  const { database, log } = deps;
  const verdict = await judge(deps, slip, identityOf(slip));
  if ('again' in verdict) return;
  if ('manual' in verdict) {
    log.error({ reference: slip.reference, reason: verdict.manual }, 'a slip waits for an operator');
    await markManual(database, slip.id, verdict.manual);
  } else if ('reason' in verdict) {
    await markFailed(database, slip.id, verdict.reason);
  } else if (await markCredited(database, slip.id)) {
    log.info({ reference: slip.reference }, 'slip credited');
  } else {
    await markFailed(database, slip.id, 'SLIP_REFNO_DUPLICATED');
  }
}

function identityOf({ id, sendingBank, transRef }: Slip): TransferIdentity {
  if (sendingBank === null || transRef === null) throw new Error(`the slip ${id} names no transfer`);
  return { sendingBank, transRef };
}

async function judge(deps: SlipDeps, slip: Slip, identity: TransferIdentity): Promise<Verdict> {
  const used = await usedFor(deps, slip, identity);
  if (used) return used;
  if (slip.verdict) return { reason: slip.verdict };
  const answer = await deps.bank.lookUp(identity);
  switch (answer.outcome) {
    case 'found':
      await saveLookup(deps.database, slip.id, answer.transfer);
      return judgeTransfer(deps, slip, identity, answer.transfer);
    case 'no-such-transfer':
      return { reason: 'INVALID_SLIP' };
    case 'refused': {
      const refusals = slip.refusals + 1;
      if (refusals >= REFUSALS_MAX) return { reason: 'TRIPPLE_WRONG_CAPTCHA' };
      return askAgain(deps, slip, { inMs: backoffMs(refusals), refusals });
    }
    case 'later':
      return askAgain(deps, slip, { inMs: Math.min(Math.max(answer.inMs, backoffMs(1)), LATER_MS_MAX), refusals: 0 });
    case 'unknown':
      deps.log.warn({ reference: slip.reference, reason: answer.reason }, 'the bank did not tell about a slip');
      return askAgain(deps, slip, { inMs: backoffMs(slip.tries), refusals: 0 });
  }
}

async function askAgain(
  { database }: SlipDeps,
  slip: Slip,
  next: { inMs: number; refusals?: number; verdict?: SlipReason },
): Promise<Verdict> {
  if (slip.tries >= TRIES_MAX) return { manual: 'BANK_SILENT' };
  await postpone(database, slip.id, next);
  return { again: true };
}

/**
 * What follows from a transfer that was credited before, by whatever way: to this member without a slip, and their slip has
 * done no harm; to any other, and it is a duplicate. What this member's slip has begun and not ended goes on.
 */
async function usedFor(
  { bankTransfer, database }: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
): Promise<Verdict | undefined> {
  const known = await bankTransfer.find(identity);
  if (!known || (known.memberId === null && known.state !== 'GATEWAY')) return undefined;
  if (known.state === 'GATEWAY' || known.memberId !== slip.memberId) return { reason: 'SLIP_REFNO_DUPLICATED' };
  if (known.via === 'SLIP' || known.state !== 'CREDITED') return undefined;
  await saveEarlierCredit(database, slip.id, known.amount, known.sentAt);
  return { credited: true };
}

async function judgeTransfer(
  deps: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
  transfer: LookedUpTransfer,
): Promise<Verdict> {
  const data = await deps.operatorData();
  const { to, from, sentAt } = transfer;
  if (to.kind === 'BILLER') {
    // A gateway's code was paid. If it is one of ours, it is credited as that; the gateway is asked at once.
    const isOurs = to.reference1 !== null && (await deps.qrcode.wakeQrcode(to.reference1));
    return { reason: isOurs ? 'SLIP_REFNO_DUPLICATED' : 'DEST_ACC_INVALID' };
  }
  // What is shown of an account is compared in the same way for every member.
  const receivers = data.depositAccounts.filter(
    (ours) => ours.bankType === 'BANK' && ours.bankCode === to.bankCode && isPossibleSender(shown(to), ours),
  );
  const [receiver] = receivers;
  if (!receiver) return { reason: 'DEST_ACC_INVALID' };
  if (receivers.length > 1) return { manual: 'SEVERAL_ACCOUNTS' };
  const holder = await deps.account.bankAccountOf(deps.database, slip.memberId);
  if (holder?.bankCode !== from.bankCode || !isPossibleSender(shown(from), holder))
    return notYet(deps, slip, 'NOT_MATCH');
  const { expireMinutes } = data.setting('slip');
  if (slip.createdAt.getTime() - sentAt.getTime() > expireMinutes * MINUTE_MS) return { reason: 'EXPIRED_SLIP' };
  return credit(deps, slip, identity, { transfer, house: houseOf(receiver) });
}

const shown = ({ accountNo, name }: { accountNo: string; name: string }) => ({ account: accountNo, name });

// Another member's slip: they may be sending it at this very moment, and then this one is a duplicate of theirs.
async function notYet({ database }: SlipDeps, slip: Slip, verdict: SlipReason): Promise<Verdict> {
  await postpone(database, slip.id, { inMs: VERDICT_PAUSE_MS, verdict });
  return { again: true };
}

async function credit(
  { bankTransfer }: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
  { transfer, house }: { transfer: LookedUpTransfer; house: string },
): Promise<Verdict> {
  const { amount, currency, from, sentAt } = transfer;
  const sender = shown(from);
  await bankTransfer.sight({ identity, house, currency, amount, sender, reference1: null, sentAt });
  const credited = await bankTransfer.creditArrival({
    identity,
    memberId: slip.memberId,
    via: 'SLIP',
    note: slip.reference,
    shown: { ...sender, bankCode: from.bankCode },
  });
  switch (credited.outcome) {
    case 'CREDITED':
      return { credited: true };
    case 'ALREADY_THIS_MEMBER':
      return { credited: true };
    case 'ALREADY_OTHER':
    case 'BELONGS_TO_QR':
      return { reason: 'SLIP_REFNO_DUPLICATED' };
    case 'CONTRADICTS':
      return { reason: 'NOT_MATCH' };
    case 'CURRENCY':
    case 'DISPUTED':
    case 'SEVERAL':
    case 'TOO_NEW':
      return { manual: credited.outcome };
    case 'NOT_SEEN':
      throw new Error(`the transfer of ${slip.reference} was entered and is gone`);
  }
}

/**
 * Ends a slip that an operator has approved: the transfer is its member's since then, and is in the ledger before the slip
 * says so. May be repeated after a crash at any point.
 */
export async function awaitApproval({ bankTransfer, database, log }: SlipDeps, slip: Slip): Promise<void> {
  const { id, reference, memberId, sendingBank, transRef, decidedBy } = slip;
  if (decidedBy === null || sendingBank === null || transRef === null)
    throw new Error(`${reference} was never approved`);
  const { outcome } = await bankTransfer.creditArrival({
    identity: { sendingBank, transRef },
    memberId,
    via: decidedBy,
  });
  if (outcome !== 'ALREADY_THIS_MEMBER')
    throw new Error(`the transfer of ${reference} is not its member's: ${outcome}`);
  await markCredited(database, id);
  log.info({ reference, by: decidedBy }, 'slip credited');
}
