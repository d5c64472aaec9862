import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { monotonicMs } from '../../platform/time.ts';
import { type GameBalance, WALLET } from '../game/index.ts';
import { selectUsedKeys } from './queries.ts';
import { AmountAtMost, FULL_BALANCE, requestTransfer } from './request-transfer.ts';
import { legLeaseMs, longestTimeoutMs, type TransferDeps } from './transfer.ts';

/** A game whose money could not be swept and stays in the game. `reason`: an error code or its detail. */
export type SweepFailure = { slotCode: string; reason: string };

type SweptMember = Pick<Member, 'id' | 'currency'>;

/** Maximum time in ms to refresh the games' balances before a sweep. */
const REFRESH_MS = 5_000;

/** Maximum duration of a sweep in ms: refresh, rounds, and the last round's transfers. */
export const sweepTimeoutMs = (deps: Pick<TransferDeps, 'providers'>): number =>
  REFRESH_MS + roundsTimeoutMs(deps) + longestTimeoutMs(deps) + legLeaseMs(longestTimeoutMs(deps));

/** Time in ms after which no round starts. Leaves time for other games if one game does not reply. */
const roundsTimeoutMs = (deps: Pick<TransferDeps, 'providers'>): number => longestTimeoutMs(deps) + 5_000;

/**
 * Sweeps the money of all of a member's games into the wallet, concurrently.
 * @param command idempotency key: a repetition after a crash returns each game's first outcome
 * @returns games that failed
 */
export async function sweepToWallet(deps: TransferDeps, member: SweptMember, command: string): Promise<SweepFailure[]> {
  const accounts = await deps.game.openAccounts(member.id);
  const sweepGame = ({ game: { code } }: GameBalance): Promise<FailureReason> =>
    sweepFromGame(deps, member, { code, key: sweepKey(command, code), amount: FULL_BALANCE });
  const reasons = await Promise.all(accounts.map(sweepGame));
  return accounts.flatMap(({ game }, index) => sweepFailure(game.code, reasons[index]));
}

/**
 * Sweeps from the games the amount that the wallet lacks, from as few games as possible. If a game fails, others are
 * tried. A transfer without an outcome counts as failed. No attempt of a command is made twice, even after a crash.
 * @param target free wallet balance to reach, in minor units
 * @returns games that failed; if the wallet still lacks money, also untried games
 */
export async function sweepMissing(
  deps: TransferDeps,
  member: SweptMember,
  { command, target }: { command: string; target: Minor },
): Promise<SweepFailure[]> {
  if ((await freeInWallet(deps, member)) >= target) return [];
  let games = await refreshGames(deps, member);
  const triedGames = await replayAttempts(deps, member, { games, command });
  const untilMs = monotonicMs() + roundsTimeoutMs(deps);
  const failures = (): SweepFailure[] => [...triedGames].flatMap(([code, { reason }]) => sweepFailure(code, reason));
  for (;;) {
    const missingAmount = minor(target - (await freeInWallet(deps, member)));
    const usableGames = games.filter(({ game: { code } }) => canTry(triedGames.get(code)));
    if (missingAmount <= 0n) return failures();
    const sweepAmounts = isSufficient(usableGames, missingAmount) ? planRound(usableGames, missingAmount) : [];
    if (sweepAmounts.length === 0 || monotonicMs() > untilMs) {
      const untriedFailures = usableGames.flatMap((balance) =>
        sweepFailure(balance.game.code, notSweptReason(balance)),
      );
      // All games together hold too little, so no game has failed.
      return triedGames.size === 0 && !isSufficient(usableGames, missingAmount)
        ? []
        : [...failures(), ...untriedFailures];
    }
    await Promise.all(
      sweepAmounts.map(async ({ code, amount }) => {
        const attempt = (triedGames.get(code)?.attempts ?? 0) + 1;
        const reason = await sweepFromGame(deps, member, {
          code,
          key: sweepKey(command, code, attempt),
          amount: new AmountAtMost(amount),
        });
        triedGames.set(code, { attempts: attempt, reason });
      }),
    );
    games = await deps.game.openAccounts(member.id);
  }
}

/** Maximum sweeps per game and command: another sweep may be needed if a different game fails. */
const ATTEMPTS_MAX = 4;
type FailureReason = string | undefined;
/** `reason`: failure of the last attempt; undefined if it succeeded. */
type GameAttempts = { attempts: number; reason: FailureReason };

const canTry = (gameAttempts: GameAttempts | undefined): boolean =>
  gameAttempts === undefined || (gameAttempts.reason === undefined && gameAttempts.attempts < ATTEMPTS_MAX);

/** Amount to sweep from a game. */
export type SweepAmount = { code: string; amount: Minor };

/**
 * Divides the missing amount among games. Movable money and large amounts come first, so that few games are touched.
 */
export function planRound(games: readonly GameBalance[], missingAmount: Minor): SweepAmount[] {
  let remainingAmount: bigint = missingAmount;
  return games.toSorted(bySweepOrder).flatMap(({ game, amount }) => {
    const sweptAmount = amount < remainingAmount ? amount : remainingAmount;
    remainingAmount -= sweptAmount;
    return sweptAmount > 0n ? [{ code: game.code, amount: minor(sweptAmount) }] : [];
  });
}

/** Whether the games may hold the missing amount. An unread balance may be higher than the stored one. */
const isSufficient = (games: readonly GameBalance[], missingAmount: Minor): boolean =>
  games.some(({ account }) => account.isStale || account.busyWith !== null) ||
  games.reduce((sum, { amount }) => sum + amount, 0n) >= missingAmount;

function bySweepOrder(first: GameBalance, second: GameBalance): number {
  if (first.canMoveOut !== second.canMoveOut) return first.canMoveOut ? -1 : 1;
  if (first.amount === second.amount) return 0;
  return first.amount > second.amount ? -1 : 1;
}

/** The member's games after a refresh, or from stored data if the refresh is refused. */
async function refreshGames(deps: TransferDeps, member: SweptMember): Promise<GameBalance[]> {
  try {
    await deps.game.refresh(member);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return deps.game.openAccounts(member.id);
}

/** Repeats the attempts of an earlier run of this command, and collects their outcomes. */
async function replayAttempts(
  deps: TransferDeps,
  member: SweptMember,
  { games, command }: { games: readonly GameBalance[]; command: string },
): Promise<Map<string, GameAttempts>> {
  const plannedAttempts = games.flatMap(({ game: { code } }) =>
    Array.from({ length: ATTEMPTS_MAX }, (_, index) => ({ code, key: sweepKey(command, code, index + 1) })),
  );
  const attemptKeys = plannedAttempts.map(({ key }) => key);
  const usedKeys = await selectUsedKeys(deps.database, member.id, attemptKeys);
  const triedGames = new Map<string, GameAttempts>();
  const replayAttempt = async ({ code, key }: (typeof plannedAttempts)[number]): Promise<void> => {
    // The key is already used: nothing moves, and the call returns the first outcome.
    const reason = await sweepFromGame(deps, member, { code, key, amount: FULL_BALANCE });
    const previousAttempts = triedGames.get(code);
    triedGames.set(code, {
      attempts: (previousAttempts?.attempts ?? 0) + 1,
      reason: previousAttempts?.reason ?? reason,
    });
  };
  await Promise.all(plannedAttempts.filter(({ key }) => usedKeys.has(key)).map(replayAttempt));
  return triedGames;
}

/** Known reason why an untried game's money can't be moved. */
function notSweptReason({ game, account, amount, canMoveOut }: GameBalance): FailureReason {
  if (account.busyWith !== null) return 'TRANSFER_IN_PROGRESS';
  if (account.isStale) return 'PROVIDER_UNAVAILABLE';
  if (canMoveOut || amount === ZERO) return undefined;
  if (game.inMaintenance) return 'MAINTENANCE';
  return account.outstanding > 0n ? 'OPEN_BETS' : 'PROVIDER_NOT_CONFIGURED';
}

async function freeInWallet(deps: Pick<TransferDeps, 'ledger'>, { id, currency }: SweptMember): Promise<Minor> {
  const balances = await deps.ledger.balances(id);
  return balances.find((account) => account.kind === WALLET && account.currency === currency)?.free ?? ZERO;
}

// The blank separates these keys from members' keys, which contain no blank.
const sweepKey = (command: string, code: string, attempt = 1): string =>
  attempt === 1 ? `home ${command} ${code}` : `home ${command} ${code} ${attempt}`;

const sweepFailure = (slotCode: string, reason: FailureReason): SweepFailure[] =>
  reason === undefined ? [] : [{ slotCode, reason }];

type SweepOptions = { code: string; key: string; amount: typeof FULL_BALANCE | AmountAtMost };

async function sweepFromGame(
  deps: TransferDeps,
  member: SweptMember,
  { code, key, amount }: SweepOptions,
): Promise<FailureReason> {
  try {
    const { status } = await requestTransfer(deps, { member, from: code, to: WALLET, amount, idempotencyKey: key });
    return status === 'DONE' ? undefined : status;
  } catch (error) {
    if (error instanceof Refusal) {
      // An empty game is not a failure.
      return error.code === 'TRANSFER_MINIMUM' ? undefined : (error.detail ?? error.code);
    }
    deps.log.error({ err: error, game: code }, 'game left out of a return to the wallet');
    return 'TRANSFER_FAIL';
  }
}
