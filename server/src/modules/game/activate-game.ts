import { violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Created, GameProvider, Outcome, Player, RefusalReason } from '../../adapters/game/port.ts';
import {
  type GameCredentials,
  type GameAccount,
  newPassword,
  newUsername,
  sealContext,
  type CredentialViewer,
  type GameDeps,
  requireProvider,
} from './game.ts';
import { readCredentials } from './credentials.ts';
import {
  claimOpening,
  insertReveal,
  markActive,
  releaseOpening,
  renameOpening,
  selectAccount,
  selectGame,
  consumeLostReply,
} from './queries.ts';

const NAMES_MAX = 3;
/** Attempts with different usernames, and a separate call that sets the password. */
const CALLS_MAX = NAMES_MAX + 1;
const LEASE_MARGIN_MS = 2_000;

/**
 * Opens a game account and returns its credentials. Username and password are stored before the provider's call, so
 * that a player created without a reply is recognized in the next attempt.
 * @throws {Refusal} NO_GAME, NO_WALLET, SLOT_ALREADY_ACTIVE, SLOT_ACTIVATE_FAIL, GAME_ACTIVATION_FAIL (maintenance,
 *   pool empty, no reply)
 */
export async function activateGame(
  deps: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { database, secretBox } = deps;
  const game = await selectGame(database, code);
  if (!game || game.isHidden) throw new Refusal('NO_GAME');
  await deps.account.assertWalletOpen(memberId);
  const key = { memberId, gameCode: code };
  const existing = await selectAccount(database, key);
  if (existing?.state === 'ACTIVE') return replayLostReply(deps, existing, viewer);
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const provider = requireProvider(deps, game.provider);
  const password = secretBox.seal(newPassword(), sealContext(key));
  const opened = { ...key, provider: game.provider, username: newUsername(), password };
  const opening = await claimOpening(database, opened, CALLS_MAX * provider.timeoutMs + LEASE_MARGIN_MS);
  if (!opening) throw inProgress();
  const created = await createPlayer(deps, provider, opening);
  const { username } = created;
  // A provider with a pool of accounts also chooses the password.
  const sealed = created.password === undefined ? opening.password : secretBox.seal(created.password, sealContext(key));
  try {
    return await database.tx(async (tx) => {
      if (!(await markActive(tx, { ...opening, username, password: sealed }))) throw inProgress();
      await insertReveal(tx, { ...opening, username }, 'activate', viewer);
      return readCredentials(deps, { ...opening, username }, secretBox.open(sealed, sealContext(key)), viewer);
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'game_account_unique_username') throw error;
    // The provider has returned an account of another member: accounts are never shared.
    await releaseOpening(database, opening, false);
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
  }
}

const inProgress = (): Refusal => new Refusal('REQUEST_LIMIT', { detail: 'ACTIVATION_IN_PROGRESS' });

// A client that lost the reply retries: within a minute that is not an error.
async function replayLostReply(
  deps: GameDeps,
  account: GameAccount,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  if (!(await consumeLostReply(deps.database, account))) throw new Refusal('SLOT_ALREADY_ACTIVE');
  await insertReveal(deps.database, account, 'activate', viewer);
  return readCredentials(deps, account, deps.secretBox.open(account.password, sealContext(account)), viewer);
}

/** Creates the player at the provider. @returns the login to use there */
async function createPlayer(deps: GameDeps, provider: GameProvider, opening: GameAccount): Promise<Created> {
  const password = deps.secretBox.open(opening.password, sealContext(opening));
  let { username, createCalls } = opening;
  for (let name = 1; name <= NAMES_MAX; name += 1) {
    const created = await provider.create({ username, password });
    if (created.outcome === 'done') return created.value;
    const isTaken = created.outcome === 'refused' && created.reason === 'exists';
    if (!isTaken) {
      await releaseOpening(deps.database, opening, created.outcome === 'refused');
      throw toRefusal(created);
    }
    // An earlier call for this name got no reply: the player is our own.
    if (createCalls > 1) return claimPlayer(deps, provider, opening, { username, password });
    username = newUsername();
    createCalls = 1;
    await renameOpening(deps.database, opening, username);
  }
  await releaseOpening(deps.database, opening, true);
  throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
}

/** Takes over a player whose creation was never confirmed. It may have failed before the password was set. */
async function claimPlayer(
  deps: GameDeps,
  provider: GameProvider,
  opening: GameAccount,
  player: Player,
): Promise<Created> {
  const set = await provider.setPassword(player);
  if (set.outcome === 'done') return { username: player.username };
  await releaseOpening(deps.database, opening, false);
  throw toRefusal(set);
}

function toRefusal(created: Exclude<Outcome<unknown>, { outcome: 'done' }>): Refusal {
  if (created.outcome === 'unknown') return new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_SILENT' });
  const detail = DETAILS[created.reason];
  return detail === undefined ? new Refusal('SLOT_ACTIVATE_FAIL') : new Refusal('GAME_ACTIVATION_FAIL', { detail });
}

/** Details of refusals caused by the provider's condition, not by the request. */
const DETAILS: Partial<Record<RefusalReason, string>> = {
  unreachable: 'PROVIDER_UNREACHABLE',
  maintenance: 'MAINTENANCE',
  'pool-empty': 'POOL_EMPTY',
};
