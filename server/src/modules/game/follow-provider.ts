import type { Minor } from '@krapao/contract/money';
import type { Operation, Step } from '../../ledger/module.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { retryLocked } from '../../settlement/step.ts';
import type { Credits, ProviderBalance } from '../../counterparties/game/port.ts';
import { gameLedgerKind, toAmount } from './game.ts';
import type { GameAccess } from './game-access.ts';
import type { RefreshedMember, Known } from './refresh-games.ts';

/**
 * Brings what we know of a game account to what its provider says, in one commit with its ledger account: unless a transfer
 * or another refresh has changed it since. Nothing is written when that is what we know.
 * @param known the account as it was when the provider was asked
 * @param gate what goes to the database goes through it
 * @returns whether something may be other than it was before
 */
export async function followProvider(
  access: GameAccess,
  holder: RefreshedMember,
  known: Known,
  { cash, outstanding, turnover }: ProviderBalance,
  gate: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const worth = (credits: Credits): Minor => toAmount(credits, known.ftWalletSlot);
  const target = worth(cash);
  const bets = { outstanding: worth(outstanding), turnover: turnover === null ? null : worth(turnover) };
  const isFresh = !known.isStale && known.areBetsKnown;
  const isKnown = isFresh && bets.outstanding === known.outstanding && bets.turnover === known.turnover;
  if (known.posted === target && isKnown) return false;
  const step: Step = {
    kind: 'game_refresh',
    memberId: holder.memberId,
    claims: [`${holder.memberId}/${known.gameCode}`],
    unique: [],
    row: {
      member: holder.memberId,
      game: known.gameCode,
      version: String(known.version),
      outstanding: String(bets.outstanding),
      turnover: bets.turnover === null ? null : String(bets.turnover),
    },
    groups: known.posted === target ? [] : [[adjustment(holder, known, target)]],
  };
  const { letter, verdicts } = await gate(() => retryLocked(() => access.ledger.postStep(step)));
  if (letter === 'r') throw new Error(`the ledger refused a refresh: ${verdicts[0]?.reason ?? 'no verdict'}`);
  return true;
}

function adjustment({ memberId, currency, at }: RefreshedMember, account: Known, target: Minor): Operation {
  const id = uuidV7(at);
  return {
    key: `game:refresh:${id}`,
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${account.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(account.gameCode) },
    target,
    reference: id,
    actor: 'refresh',
  };
}
