import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { monotonicMs } from '../../platform/time.ts';
import type { Member } from '../../platform/http/caller.ts';
import { Refusal } from '../../platform/errors.ts';
import { type GameBalance, WALLET } from '../game/index.ts';
import { AtMost, FULL_BALANCE, requestTransfer } from './request-transfer.ts';
import { selectUsedKeys } from './queries.ts';
import { legLeaseMs, longestTimeoutMs, type TransferDeps } from './transfer.ts';

/** A game whose money could not be swept. `reason`: an error code or its detail. The money stays in the game. */
export type SweepFailure = { slotCode: string; reason: string };

type Holder = Pick<Member, 'id' | 'currency'>;

/** Maximum wait in ms for the games' balances before a sweep. */
const REFRESH_MS = 5_000;

/** Maximum duration of either sweep in ms: refresh, rounds, and the last round's transfers. */
export const sweepTimeoutMs = (deps: Pick<TransferDeps, 'providers'>): number =>
  REFRESH_MS + roundsTimeoutMs(deps) + longestTimeoutMs(deps) + legLeaseMs(longestTimeoutMs(deps));

/** No round begins after this time in ms; it leaves time for others when one game does not reply. */
const roundsTimeoutMs = (deps: Pick<TransferDeps, 'providers'>): number => longestTimeoutMs(deps) + 5_000;

/**
 * Sweeps the money of all of a member's games into the wallet, concurrently.
 * @param command idempotency key: a repetition after a crash returns each game's first outcome
 * @returns failed games
 */
export async function sweepToWallet(deps: TransferDeps, member: Holder, command: string): Promise<SweepFailure[]> {
  const accounts = await deps.game.openAccounts(member.id);
  const sweepAll = ({ game: { code } }: GameBalance): Promise<Reason> =>
    sweep(deps, member, { code, key: keyOf(command, code), amount: FULL_BALANCE });
  const reasons = await Promise.all(accounts.map(sweepAll));
  return accounts.flatMap(({ game }, index) => sweepFailure(game.code, reasons[index]));
}

/**
 * Sweeps from the games what the wallet lacks of an amount, from as few games as possible. If a game fails, others are
 * tried. A transfer without an outcome counts as failed. No attempt of a command is made twice, also after a crash.
 * @param target free wallet balance to reach, in minor units
 * @returns failed games; also untried ones when the wallet still lacks money
 */
export async function sweepMissing(
  deps: TransferDeps,
  member: Holder,
  { command, target }: { command: string; target: Minor },
): Promise<SweepFailure[]> {
  if ((await freeInWallet(deps, member)) >= target) return [];
  let games = await refreshGames(deps, member);
  const tried = await replayAttempts(deps, member, { games, command });
  const untilMs = monotonicMs() + roundsTimeoutMs(deps);
  const failed = (): SweepFailure[] => [...tried].flatMap(([code, { reason }]) => sweepFailure(code, reason));
  for (;;) {
    const missing = minor(target - (await freeInWallet(deps, member)));
    const usable = games.filter(({ game: { code } }) => canTry(tried.get(code)));
    if (missing <= 0n) return failed();
    const round = isSufficient(usable, missing) ? planRound(usable, missing) : [];
    if (round.length === 0 || monotonicMs() > untilMs) {
      const untried = usable.flatMap((balance) => sweepFailure(balance.game.code, notSweptReason(balance)));
      // All games together have too little: no game has failed.
      return tried.size === 0 && !isSufficient(usable, missing) ? [] : [...failed(), ...untried];
    }
    await Promise.all(
      round.map(async ({ code, amount }) => {
        const attempt = (tried.get(code)?.attempts ?? 0) + 1;
        const reason = await sweep(deps, member, {
          code,
          key: keyOf(command, code, attempt),
          amount: new AtMost(amount),
        });
        tried.set(code, { attempts: attempt, reason });
      }),
    );
    games = await deps.game.openAccounts(member.id);
  }
}

/** Sweeps per game and command: another may be needed when a different game fails. */
const ATTEMPTS_MAX = 4;
type Reason = string | undefined;
/** `reason`: failure of the last attempt. */
type GameAttempts = { attempts: number; reason: Reason };

const canTry = (tried: GameAttempts | undefined): boolean =>
  tried === undefined || (tried.reason === undefined && tried.attempts < ATTEMPTS_MAX);

/** Amount to sweep from a game. */
export type SweepAmount = { code: string; amount: Minor };

/**
 * Divides the missing amount among games: movable money first, largest amounts first, so that few games are touched.
 */
export function planRound(games: readonly GameBalance[], missing: Minor): SweepAmount[] {
  let left: bigint = missing;
  return games.toSorted(bySweepOrder).flatMap(({ game, amount }) => {
    const share = amount < left ? amount : left;
    left -= share;
    return share > 0n ? [{ code: game.code, amount: minor(share) }] : [];
  });
}

/** Whether games may hold the missing amount. An unread balance may be higher than stored. */
const isSufficient = (games: readonly GameBalance[], missing: Minor): boolean =>
  games.some(({ account }) => account.isStale || account.busyWith !== null) ||
  games.reduce((sum, { amount }) => sum + amount, 0n) >= missing;

function bySweepOrder(one: GameBalance, other: GameBalance): number {
  if (one.canMoveOut !== other.canMoveOut) return one.canMoveOut ? -1 : 1;
  if (one.amount === other.amount) return 0;
  return one.amount > other.amount ? -1 : 1;
}

/** The member's games after a refresh, or from stored data when the refresh is refused. */
async function refreshGames(deps: TransferDeps, member: Holder): Promise<GameBalance[]> {
  try {
    await deps.game.refresh(member);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return deps.game.openAccounts(member.id);
}

/** Replays the attempts of an earlier run of this command, and collects their outcomes. */
async function replayAttempts(
  deps: TransferDeps,
  member: Holder,
  { games, command }: { games: readonly GameBalance[]; command: string },
): Promise<Map<string, GameAttempts>> {
  const attempts = games.flatMap(({ game: { code } }) =>
    Array.from({ length: ATTEMPTS_MAX }, (_, index) => ({ code, key: keyOf(command, code, index + 1) })),
  );
  const keys = attempts.map(({ key }) => key);
  const used = await selectUsedKeys(deps.database, member.id, keys);
  const tried = new Map<string, GameAttempts>();
  const repeat = async ({ code, key }: (typeof attempts)[number]): Promise<void> => {
    // A used key: moves nothing, waits for the outcome.
    const reason = await sweep(deps, member, { code, key, amount: FULL_BALANCE });
    const before = tried.get(code);
    tried.set(code, { attempts: (before?.attempts ?? 0) + 1, reason: before?.reason ?? reason });
  };
  await Promise.all(attempts.filter(({ key }) => used.has(key)).map(repeat));
  return tried;
}

/** Known reason why money of an untried game can't be moved. */
function notSweptReason({ game, account, amount, canMoveOut }: GameBalance): Reason {
  if (account.busyWith !== null) return 'TRANSFER_IN_PROGRESS';
  if (account.isStale) return 'PROVIDER_UNAVAILABLE';
  if (canMoveOut || amount === ZERO) return undefined;
  if (game.inMaintenance) return 'MAINTENANCE';
  return account.outstanding > 0n ? 'OPEN_BETS' : 'PROVIDER_NOT_CONFIGURED';
}

async function freeInWallet(deps: Pick<TransferDeps, 'ledger'>, { id, currency }: Holder): Promise<Minor> {
  const balances = await deps.ledger.balances(id);
  return balances.find((one) => one.kind === WALLET && one.currency === currency)?.free ?? ZERO;
}

// A blank keeps these keys apart from members' keys, which contain none.
const keyOf = (command: string, code: string, attempt = 1): string =>
  attempt === 1 ? `home ${command} ${code}` : `home ${command} ${code} ${attempt}`;

const sweepFailure = (slotCode: string, reason: Reason): SweepFailure[] =>
  reason === undefined ? [] : [{ slotCode, reason }];

type SweepOptions = { code: string; key: string; amount: typeof FULL_BALANCE | AtMost };

async function sweep(deps: TransferDeps, member: Holder, { code, key, amount }: SweepOptions): Promise<Reason> {
  try {
    const { status } = await requestTransfer(deps, { member, from: code, to: WALLET, amount, idempotencyKey: key });
    return status === 'DONE' ? undefined : status;
  } catch (error) {
    if (error instanceof Refusal) {
      // An empty game is not a failure.
      return error.code === 'TRANSFER_MINIMUM' ? undefined : (error.detail ?? error.code);
    }
    deps.log.error({ err: error, game: code }, 'money could not be brought home');
    return 'TRANSFER_FAIL';
  }
}
