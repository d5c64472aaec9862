import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import type { LookedUpTransfer } from '../../../adapters/slip-lookup.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { backoffMs } from '../../../platform/jobs/resolver.ts';
import { addNotices } from '../../notification/index.ts';
import { type TransferIdentity, houseAccountOf, isPossibleSender } from '../bank-transfer/index.ts';
import { markCredited, markFailed, markManual, saveEarlierCredit, saveLookup, postpone } from './queries.ts';
import {
  type ManualReason,
  REFUSALS_MAX,
  refusalNotice,
  type Slip,
  TRIES_MAX,
  VERDICT_DELAY_MS,
  type SlipDeps,
} from './slip.ts';

type Verdict = { credited: true } | { reason: SlipReason } | { manual: ManualReason } | { isPostponed: true };

/** Longest accepted retry delay of a bank, because the member is waiting. */
const RETRY_DELAY_MAX_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/**
 * Looks up the transfer of a slip at the bank and settles the slip. The image only identifies the transfer: amount,
 * parties and time are the bank's. Safe to repeat after a crash and to run on several nodes concurrently.
 */
export async function settleSlip(deps: SlipDeps, slip: Slip): Promise<void> {
  const { database, log } = deps;
  const verdict = await decideVerdict(deps, slip, identityOf(slip));
  if ('isPostponed' in verdict) return;
  if ('manual' in verdict) {
    log.error({ reference: slip.reference, reason: verdict.manual }, 'slip needs an operator');
    await markManual(database, slip.id, verdict.manual);
  } else if ('reason' in verdict) {
    await refuseSlip(deps, slip, verdict.reason, (tx) => markFailed(tx, slip.id, verdict.reason));
  } else if (await markCredited(database, { id: slip.id, ...identityOf(slip) })) {
    log.info({ reference: slip.reference }, 'slip credited');
  } else {
    const reason = 'SLIP_REFNO_DUPLICATED';
    await refuseSlip(deps, slip, reason, (tx) => markFailed(tx, slip.id, reason));
  }
}

/** Fails a slip and notifies its member. @param mark returns whether it changed the slip */
export async function refuseSlip(
  { database, clock }: Pick<SlipDeps, 'database' | 'clock'>,
  slip: Slip,
  reason: SlipReason,
  mark: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const now = clock.now();
  await database.tx(async (tx) => {
    if (await mark(tx)) await addNotices(tx, [refusalNotice(slip, reason, now)], now);
  });
}

function identityOf({ id, sendingBank, transRef }: Slip): TransferIdentity {
  if (sendingBank === null || transRef === null) throw new Error(`the slip ${id} names no transfer`);
  return { sendingBank, transRef };
}

async function decideVerdict(deps: SlipDeps, slip: Slip, identity: TransferIdentity): Promise<Verdict> {
  const earlierVerdict = await verdictOfEarlierCredit(deps, slip, identity);
  if (earlierVerdict) return earlierVerdict;
  if (slip.verdict) return { reason: slip.verdict };
  const reply = await deps.bank.fetchOperatorData(identity);
  switch (reply.outcome) {
    case 'found':
      await saveLookup(deps.database, slip.id, reply.transfer);
      return decideTransferVerdict(deps, slip, identity, reply.transfer);
    case 'no-such-transfer':
      return { reason: 'INVALID_SLIP' };
    case 'refused': {
      const refusals = slip.refusals + 1;
      if (refusals >= REFUSALS_MAX) return { reason: 'TRIPPLE_WRONG_CAPTCHA' };
      return retryLookup(deps, slip, { inMs: backoffMs(refusals), refusals });
    }
    case 'later':
      return retryLookup(deps, slip, {
        inMs: Math.min(Math.max(reply.inMs, backoffMs(1)), RETRY_DELAY_MAX_MS),
        refusals: 0,
      });
    case 'unknown':
      deps.log.warn({ reference: slip.reference, reason: reply.reason }, 'slip look-up without a reply');
      return retryLookup(deps, slip, { inMs: backoffMs(slip.tries), refusals: 0 });
  }
}

async function retryLookup(
  { database }: SlipDeps,
  slip: Slip,
  schedule: { inMs: number; refusals?: number; verdict?: SlipReason },
): Promise<Verdict> {
  if (slip.tries >= TRIES_MAX) return { manual: 'BANK_SILENT' };
  await postpone(database, slip.id, schedule);
  return { isPostponed: true };
}

/**
 * Verdict for an already assigned transfer. Credited to this member without a slip: the slip counts as credited.
 * Credited to another member: a duplicate. Undefined when the transfer is not assigned, or when an earlier run of this
 * slip continues.
 */
async function verdictOfEarlierCredit(
  { bankTransfer, database }: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
): Promise<Verdict | undefined> {
  const storedTransfer = await bankTransfer.find(identity);
  if (!storedTransfer || (storedTransfer.memberId === null && storedTransfer.state !== 'GATEWAY')) return undefined;
  if (storedTransfer.state === 'GATEWAY' || storedTransfer.memberId !== slip.memberId)
    return { reason: 'SLIP_REFNO_DUPLICATED' };
  if (storedTransfer.via === 'SLIP' || storedTransfer.state !== 'CREDITED') return undefined;
  await saveEarlierCredit(database, slip.id, storedTransfer.amount, storedTransfer.sentAt);
  return { credited: true };
}

async function decideTransferVerdict(
  deps: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
  transfer: LookedUpTransfer,
): Promise<Verdict> {
  const operatorData = await deps.readOperatorData();
  const { to, from, sentAt } = transfer;
  if (to.kind === 'BILLER') {
    // An own QR code in a bill payment is credited through its gateway, so an inquiry is requested.
    const isOwnCode = to.reference1 !== null && (await deps.qrcode.requestInquiry(to.reference1));
    return { reason: isOwnCode ? 'SLIP_REFNO_DUPLICATED' : 'DEST_ACC_INVALID' };
  }
  const receivers = operatorData.depositAccounts.filter(
    (account) =>
      account.bankType === 'BANK' && account.bankCode === to.bankCode && isPossibleSender(toSender(to), account),
  );
  const [receiver] = receivers;
  if (!receiver) return { reason: 'DEST_ACC_INVALID' };
  if (receivers.length > 1) return { manual: 'SEVERAL_ACCOUNTS' };
  const holder = await deps.account.bankAccountOf(deps.database, slip.memberId);
  if (holder?.bankCode !== from.bankCode || !isPossibleSender(toSender(from), holder))
    return delayVerdict(deps, slip, 'NOT_MATCH');
  const { expireMinutes } = operatorData.setting('slip');
  if (slip.createdAt.getTime() - sentAt.getTime() > expireMinutes * MINUTE_MS) return { reason: 'EXPIRED_SLIP' };
  return creditSlip(deps, slip, identity, { transfer, houseAccount: houseAccountOf(receiver) });
}

const toSender = ({ accountNo, name }: { accountNo: string; name: string }) => ({ account: accountNo, name });

// The transfer's owner may be sending the same slip concurrently: then this slip is a duplicate.
async function delayVerdict({ database }: SlipDeps, slip: Slip, verdict: SlipReason): Promise<Verdict> {
  await postpone(database, slip.id, { inMs: VERDICT_DELAY_MS, verdict });
  return { isPostponed: true };
}

async function creditSlip(
  { bankTransfer }: SlipDeps,
  slip: Slip,
  identity: TransferIdentity,
  { transfer, houseAccount }: { transfer: LookedUpTransfer; houseAccount: string },
): Promise<Verdict> {
  const { amount, currency, from, sentAt } = transfer;
  const sender = toSender(from);
  await bankTransfer.record({ identity, houseAccount, currency, amount, sender, reference1: null, sentAt });
  const creditResult = await bankTransfer.credit({
    identity,
    memberId: slip.memberId,
    via: 'SLIP',
    note: slip.reference,
    senderOnSlip: { ...sender, bankCode: from.bankCode },
  });
  switch (creditResult.outcome) {
    case 'credited':
      return { credited: true };
    case 'already_this_member':
      return { credited: true };
    case 'already_other':
    case 'belongs_to_qr':
      return { reason: 'SLIP_REFNO_DUPLICATED' };
    case 'contradicts':
      return { reason: 'NOT_MATCH' };
    case 'CURRENCY':
    case 'DISPUTED':
    case 'SEVERAL':
    case 'TOO_NEW':
      return { manual: creditResult.outcome };
    case 'not_seen':
      throw new Error(`the transfer of ${slip.reference} was entered and is gone`);
  }
}

/** Closes a slip that an operator has approved, after its transfer is in the ledger. Safe to repeat after a crash. */
export async function awaitApproval({ bankTransfer, database, log }: SlipDeps, slip: Slip): Promise<void> {
  const { id, reference, memberId, sendingBank, transRef, decidedBy } = slip;
  if (decidedBy === null || sendingBank === null || transRef === null)
    throw new Error(`${reference} was never approved`);
  const { outcome } = await bankTransfer.credit({
    identity: { sendingBank, transRef },
    memberId,
    via: decidedBy,
  });
  if (outcome !== 'already_this_member')
    throw new Error(`the transfer of ${reference} is not its member's: ${outcome}`);
  await markCredited(database, { id, sendingBank, transRef });
  log.info({ reference, by: decidedBy }, 'slip approved by an operator');
}
