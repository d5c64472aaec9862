import type { Arrival, Sender } from './bank-transfer.ts';
import type { BankTransferDeps } from './bank-transfer-deps.ts';
import { type Match, matchSender, visibleDigits } from './matching.ts';
import { selectMembersWhoTold } from './notice-queries.ts';

export type WhoSent = {
  match: Match | { match: 'UNKNOWN_BANK' };
  /** Members who told that exactly this amount would come. */
  told: string[];
};

/**
 * Whose transfer from a bank it is, by everything that is shown of its sender.
 * @param alsoShown as the look-up of a slip shows the same sender: the sending bank hides other places than the receiving one
 */
export async function whoSent(
  { database, account, operatorData }: Pick<BankTransferDeps, 'database' | 'account' | 'operatorData'>,
  arrival: Arrival,
  alsoShown?: Sender & { bankCode: string },
): Promise<WhoSent> {
  const { sendingBank, senderAccount, senderName, currency, sentAt } = arrival;
  const notices = await selectMembersWhoTold(database, arrival);
  const told = notices.map(({ memberId }) => memberId);
  // Anybody can name an amount and hope that a look-alike sends it; what we asked for, only who was asked sends.
  const asked = new Set(notices.filter(({ wasAsked }) => wasAsked).map(({ memberId }) => memberId));
  const { banks } = await operatorData();
  const isSending = (bank: { code: string; number: string | null }): boolean =>
    bank.number === sendingBank || bank.code === alsoShown?.bankCode;
  const bankCodes = banks.filter(isSending).map(({ code }) => code);
  if (bankCodes.length === 0) return { match: { match: 'UNKNOWN_BANK' }, told };
  const digits = visibleDigits(senderAccount);
  if (digits === undefined) return { match: { match: 'NOBODY' }, told };
  const holders = await account.holdersAt(database, { bankCodes, digits, currency });
  const shown = [{ account: senderAccount, name: senderName }, ...(alsoShown ? [alsoShown] : [])];
  return { match: matchSender({ shown, sentAt }, holders, asked), told };
}
