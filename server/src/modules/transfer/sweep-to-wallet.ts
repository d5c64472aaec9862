import type { Member } from '../../platform/http/caller/member.ts';
import { Refusal } from '../../platform/refusal.ts';
import { WALLET } from '../game/module.ts';
import { FULL_BALANCE } from './check-transfer.ts';
import { requestTransfer } from './request-transfer.ts';
import type { TransferWork } from './transfer-work.ts';

/** A game whose money could not be brought home, and why: a code or its detail. The money stays where it is. */
export type NotBrought = { slotCode: string; reason: string };

/**
 * Brings the money of all of a member's games into the wallet, concurrently. Under the same command each game's transfer
 * happens once: a repetition after a crash returns the outcome of the first.
 * @param command what this belongs to, unique for ever
 * @returns the games whose money is not in the wallet; none when all of it came
 */
export async function sweepToWallet(
  work: TransferWork,
  member: Pick<Member, 'id' | 'currency'>,
  command: string,
): Promise<NotBrought[]> {
  const accounts = await work.game.openAccounts(member.id);
  const reasons = await Promise.all(accounts.map(({ game }) => bring(work, member, game.code, command)));
  return accounts.flatMap(({ game }, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [{ slotCode: game.code, reason }];
  });
}

async function bring(
  work: TransferWork,
  member: Pick<Member, 'id' | 'currency'>,
  code: string,
  command: string,
): Promise<string | undefined> {
  // No key that a member can send has a blank in it.
  const wish = { member, from: code, to: WALLET, amount: FULL_BALANCE, idempotencyKey: `home ${command} ${code}` };
  try {
    const { status } = await requestTransfer(work, wish);
    return status === 'DONE' ? undefined : status;
  } catch (error) {
    if (error instanceof Refusal) {
      // Nothing to bring is nothing left behind.
      return error.code === 'TRANSFER_MINIMUM' ? undefined : (error.detail ?? error.code);
    }
    work.log.error({ err: error, game: code }, 'money could not be brought home');
    return 'TRANSFER_FAIL';
  }
}
