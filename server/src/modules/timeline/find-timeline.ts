import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import type { StatementRow } from '../../ledger/index.ts';
import { inSnapshot } from '../../platform/database/batched-reads.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Timeline } from '../../platform/timeline.ts';
import { type ChosenBonus, findChosenBonus } from '../bonus/index.ts';
import { type AssignedTransfer, creditKey, findAnnounced, selectAssigned } from '../deposit/bank-transfer/index.ts';
import { findQrcodeTimeline } from '../deposit/qrcode/index.ts';
import { findSentSlip, selectSlipsOf } from '../deposit/slip/index.ts';
import { findGiftTimeline } from '../deposit/truelink/index.ts';
import { findGrantTimeline } from '../incentive/index.ts';
import { findTransferTimeline } from '../transfer/index.ts';
import { findWithdrawTimeline } from '../withdraw/index.ts';
import { bankDepositTimeline } from './bank-deposit.ts';
import {
  type TimelineDeps,
  parseItemKey,
  rowTimeline,
  toWireChosenBonus,
  toWireTimeline,
  type WireTimeline,
} from './timeline.ts';
import { expectedEnd, isLate } from './usual-durations.ts';

type Owner = { id: string; currency: Currency };
type Found = { timeline: Timeline; rows: StatementRow[]; bonus?: ChosenBonus | undefined };

/** One movement of the member with its steps, read in one snapshot. @returns undefined when the key names none */
export async function findTimeline(
  deps: TimelineDeps,
  owner: Owner,
  { key, language }: { key: string; language: Language },
): Promise<WireTimeline | undefined> {
  const found = await inSnapshot(deps.database, async (tx) => withBonus(tx, owner, await find(deps, tx, owner, key)));
  if (!found) return undefined;
  const { timeline, rows, bonus: chosen } = found;
  const bonus = chosen && toWireChosenBonus(chosen, timeline.status, language);
  const { expectation } = timeline;
  const [durations, usualTime] = await Promise.all([deps.durations(), deps.usualTime(timeline)]);
  const expectedBy = expectedEnd(expectation, durations);
  const late = isLate(expectation, expectedBy, deps.clock.now());
  return toWireTimeline(timeline, rows, { expectedBy, isLate: late, usualTime, bonus });
}

async function withBonus(tx: Tx, { id }: Owner, found: Found | undefined): Promise<Found | undefined> {
  const code = found?.timeline.bonusCode;
  if (!found || !code) return found;
  const { key, links } = found.timeline;
  return { ...found, bonus: await findChosenBonus(tx, id, [key, ...links], code) };
}

async function find({ ledger }: TimelineDeps, tx: Tx, owner: Owner, key: string): Promise<Found | undefined> {
  const itemKey = parseItemKey(key);
  if (itemKey.kind === 'invalid') return undefined;
  if (itemKey.kind === 'reference') {
    const timeline = await findByReference(tx, owner.id, key);
    if (!timeline) return undefined;
    return { timeline, rows: await ledger.statementRows(owner.id, { keys: timeline.operations }, tx) };
  }
  const [row] = await ledger.statementRows(owner.id, { ids: [itemKey.operationId] }, tx);
  if (!row) return undefined;
  const timeline = await findByRow({ ledger }, tx, owner.id, row);
  const rows = timeline ? await ledger.statementRows(owner.id, { keys: timeline.operations }, tx) : [];
  // Rows of another item with the same reference prove that it is not this row's.
  const isItsOwn = rows.some(({ operationId }) => operationId === row.operationId);
  return timeline && isItsOwn ? { timeline, rows } : { timeline: rowTimeline(row, owner.currency), rows: [row] };
}

/** References of all kinds are drawn from one space: at most one reader finds a row. */
async function findByReference(tx: Tx, memberId: string, reference: string): Promise<Timeline | undefined> {
  const readers = [
    findQrcodeTimeline,
    findWithdrawTimeline,
    findTransferTimeline,
    findAnnouncedDeposit,
    findSlipDeposit,
    findGiftTimeline,
    findGrantTimeline,
  ];
  for (const read of readers) {
    const timeline = await read(tx, memberId, reference);
    if (timeline) return timeline;
  }
  return undefined;
}

async function findByRow(
  { ledger }: Pick<TimelineDeps, 'ledger'>,
  tx: Tx,
  memberId: string,
  row: StatementRow,
): Promise<Timeline | undefined> {
  const { kind, reference, debit } = row;
  if (kind === 'withdraw') return findWithdrawTimeline(tx, memberId, reference);
  if (kind === 'transfer') return findTransferTimeline(tx, memberId, reference);
  if (kind !== 'deposit') return findGrantTimeline(tx, memberId, reference);
  if (debit.startsWith('gateway:')) return findQrcodeTimeline(tx, memberId, reference);
  const gift = debit === 'wallet-app' ? await findGiftTimeline(tx, memberId, reference) : undefined;
  if (gift) return gift;
  for (const transfer of await selectAssigned(tx, memberId, reference)) {
    const rows = await ledger.statementRows(memberId, { keys: [creditKey(transfer)] }, tx);
    if (rows.some(({ operationId }) => operationId === row.operationId)) return depositOf(tx, memberId, transfer);
  }
  return undefined;
}

async function findAnnouncedDeposit(tx: Tx, memberId: string, reference: string): Promise<Timeline | undefined> {
  const announced = await findAnnounced(tx, memberId, reference);
  if (!announced) return undefined;
  const transfer = announced.transfer && (await findAssigned(tx, memberId, announced.transfer));
  const slips = transfer ? await selectSlipsOf(tx, memberId, transfer) : [];
  return bankDepositTimeline({ announced, transfer: transfer ?? undefined, slips });
}

async function findSlipDeposit(tx: Tx, memberId: string, reference: string): Promise<Timeline | undefined> {
  const slip = await findSentSlip(tx, memberId, reference);
  if (!slip) return undefined;
  const { sendingBank, transRef } = slip;
  if (sendingBank !== null && transRef !== null) {
    const transfer = await findAssigned(tx, memberId, { sendingBank, transRef });
    if (transfer) return depositOf(tx, memberId, transfer);
  }
  return bankDepositTimeline({ announced: undefined, transfer: undefined, slips: [slip] });
}

/** A transfer with everything that the member sent about it. */
async function depositOf(tx: Tx, memberId: string, transfer: AssignedTransfer): Promise<Timeline> {
  const announced = transfer.announced === null ? undefined : await findAnnounced(tx, memberId, transfer.announced);
  const slips = await selectSlipsOf(tx, memberId, transfer);
  return bankDepositTimeline({ announced, transfer, slips });
}

async function findAssigned(
  tx: Tx,
  memberId: string,
  { sendingBank, transRef }: Pick<AssignedTransfer, 'sendingBank' | 'transRef'>,
): Promise<AssignedTransfer | undefined> {
  const transfers = await selectAssigned(tx, memberId, transRef);
  return transfers.find((one) => one.sendingBank === sendingBank);
}
