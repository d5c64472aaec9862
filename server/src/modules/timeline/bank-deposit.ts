import { maskedAccount } from '@krapao/contract/rules';
import { isFinal, slipTransitions } from '@krapao/contract/states';
import { done, open, stepAt, type Timeline } from '../../platform/timeline.ts';
import { type AnnouncedTransfer, type AssignedTransfer, creditKey } from '../deposit/bank-transfer/index.ts';
import { type SentSlip, SLIP_METHOD } from '../deposit/slip/index.ts';
import { counterpartyOf } from '../statement/index.ts';

/** A bank transfer with the member's announcement and slips of it: one item, whichever of them is known. */
export type BankDeposit = {
  announced: AnnouncedTransfer | undefined;
  transfer: AssignedTransfer | undefined;
  slips: readonly SentSlip[];
};

/** The timeline of a bank deposit. Its key is the announcement, else the slip, else the bank's reference. */
export function bankDepositTimeline(deposit: BankDeposit): Timeline {
  const { announced, transfer, slips } = deposit;
  const slip = decidingSlip(slips);
  const own = [announced, slip].flatMap((row) => row?.reference ?? []);
  const status = statusOf(deposit, slip);
  return {
    ...factsOf(deposit, slip),
    key: own[0] ?? transfer?.transRef ?? '',
    kind: announced ? 'notice' : slip ? 'slip' : 'deposit',
    status,
    to: 'WALLET',
    reason: status === 'FAILED' ? ([slip?.reason, announced?.state].find(Boolean) ?? null) : null,
    steps: [...pastSteps(deposit, slip), ...lastSteps(deposit, slip, status)],
    expectation: status === 'PROCESSING' ? expectationOf(deposit, slip) : null,
    bonusCode: chosenBonusOf(deposit),
    operations: transfer?.state === 'CREDITED' ? [creditKey(transfer)] : [],
    links: [...own.slice(1), ...slips.filter((one) => one !== slip).map(({ reference }) => reference)],
  };
}

/** The bonus that comes with the credit: none for a failed slip, or for an announcement without a match. */
function chosenBonusOf({ announced, transfer, slips }: BankDeposit): string | null {
  const isPassedBy = transfer?.state === 'CREDITED' && announced?.state !== 'MATCHED';
  const counting = [isPassedBy ? undefined : announced, ...slips.filter(({ state }) => state !== 'FAILED')];
  return counting.map((row) => row?.bonusCode).find(Boolean) ?? null;
}

/** What the transfer says, else the slip, else the announcement. */
function factsOf(
  { announced, transfer }: BankDeposit,
  slip: SentSlip | undefined,
): Pick<Timeline, 'requested' | 'currency' | 'from' | 'houseAccount' | 'account' | 'bank' | 'bankReference'> {
  const [known] = [transfer, slip, announced].filter((row) => row !== undefined);
  if (!known) throw new Error('a bank deposit without rows');
  const houseAccount = [transfer, announced].find((row) => row !== undefined)?.houseAccount;
  return {
    requested: [transfer, slip, announced].map((row) => row?.amount).find((amount) => amount) ?? null,
    currency: known.currency,
    from: sourceOf(houseAccount ?? null),
    houseAccount,
    account: transfer ? maskedAccount(transfer.senderAccount) : null,
    bank: transfer?.senderBank ?? null,
    bankReference: [transfer, slip].map((row) => row?.transRef).find(Boolean) ?? null,
  };
}

/** `BANK`, for any bank, until the receiving account is known. */
const sourceOf = (houseAccount: string | null): string =>
  houseAccount === null ? 'BANK' : counterpartyOf(houseAccount);

/** The slip that counts: a credited one, else an open one, else the last. */
function decidingSlip(slips: readonly SentSlip[]): SentSlip | undefined {
  return (
    slips.find(({ state }) => state === 'CREDITED') ??
    slips.find(({ state }) => !isFinal(slipTransitions, state)) ??
    slips.at(-1)
  );
}

function statusOf({ announced, transfer }: BankDeposit, slip: SentSlip | undefined): Timeline['status'] {
  if (transfer) return transfer.state === 'CREDITED' ? 'SUCCESS' : 'PROCESSING';
  if (slip && !isFinal(slipTransitions, slip.state)) return 'PROCESSING';
  if (slip?.state === 'CREDITED' || announced?.state === 'MATCHED') return 'SUCCESS';
  return announced?.state === 'OPEN' ? 'PROCESSING' : 'FAILED';
}

/** What has happened before the end, by its time. */
function pastSteps({ announced, transfer }: BankDeposit, slip: SentSlip | undefined): Timeline['steps'] {
  const sentAt = transfer?.sentAt ?? slip?.paidAt;
  return [
    ...(sentAt ? [done('transferred', sentAt)] : []),
    ...(announced ? [done('announced', announced.createdAt)] : []),
    ...(slip ? [done('uploaded', slip.createdAt)] : []),
    ...(transfer ? [done('seen', transfer.seenAt)] : []),
  ].toSorted((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0));
}

function lastSteps(
  { announced, transfer }: BankDeposit,
  slip: SentSlip | undefined,
  status: Timeline['status'],
): Timeline['steps'] {
  if (status === 'SUCCESS') return [done('credited', transfer?.creditedAt ?? slip?.endedAt ?? null)];
  if (status === 'PROCESSING') {
    return transfer || slip?.paidAt ? [open('credited')] : [open('transferred'), open('credited')];
  }
  if (slip) return [stepAt('refused', slip.endedAt)];
  return [stepAt(announced?.state === 'THIRD_PARTY' ? 'thirdParty' : 'expired', announced?.endedAt ?? null)];
}

function expectationOf({ announced, transfer }: BankDeposit, slip: SentSlip | undefined): Timeline['expectation'] {
  const since = slip?.createdAt ?? transfer?.seenAt;
  if (since) return { method: SLIP_METHOD, since };
  return announced ? { until: announced.expiresAt } : null;
}
