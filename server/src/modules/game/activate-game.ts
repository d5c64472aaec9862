import type { Created, GameProvider, Outcome, Player, RefusalReason } from '../../adapters/game/port.ts';
import { violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { insertReveal } from './credential-queries.ts';
import { readCredentials } from './credentials.ts';
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
import {
  claimOpening,
  markActive,
  releaseOpening,
  renameOpening,
  selectAccount,
  selectGame,
  consumeLostReply,
} from './queries.ts';

const USERNAME_ATTEMPTS_MAX = 3;
/** One call per username, and one call that sets the password. */
const PROVIDER_CALLS_MAX = USERNAME_ATTEMPTS_MAX + 1;
const LEASE_MARGIN_MS = 2_000;

/**
 * Opens a game account and returns its credentials. Username and password are stored before the provider's call. The
 * next attempt then recognizes a player that was created without a reply.
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
  const accountKey = { memberId, gameCode: code };
  const existingAccount = await selectAccount(database, accountKey);
  if (existingAccount?.state === 'ACTIVE') return replayLostReply(deps, existingAccount, viewer);
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const provider = requireProvider(deps, game.provider);
  const sealedPassword = secretBox.seal(newPassword(), sealContext(accountKey));
  const newAccount = { ...accountKey, provider: game.provider, username: newUsername(), password: sealedPassword };
  const openingAccount = await claimOpening(
    database,
    newAccount,
    PROVIDER_CALLS_MAX * provider.timeoutMs + LEASE_MARGIN_MS,
  );
  if (!openingAccount) throw activationInProgress();
  const createdPlayer = await createPlayer(deps, provider, openingAccount);
  const { username } = createdPlayer;
  // A provider with a pool of accounts also chooses the password.
  const finalPassword =
    createdPlayer.password === undefined
      ? openingAccount.password
      : secretBox.seal(createdPlayer.password, sealContext(accountKey));
  try {
    return await database.tx(async (tx) => {
      if (!(await markActive(tx, { ...openingAccount, username, password: finalPassword })))
        throw activationInProgress();
      await insertReveal(tx, { ...openingAccount, username }, 'activate', viewer);
      return readCredentials(
        deps,
        { ...openingAccount, username },
        secretBox.open(finalPassword, sealContext(accountKey)),
        viewer,
      );
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'game_account_unique_username') throw error;
    // The provider returned an account that belongs to another member. Accounts are never shared.
    await releaseOpening(database, openingAccount, false);
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
  }
}

const activationInProgress = (): Refusal => new Refusal('REQUEST_LIMIT', { detail: 'ACTIVATION_IN_PROGRESS' });

// Returns the credentials to a client that retries within a minute because it lost the reply.
async function replayLostReply(
  deps: GameDeps,
  account: GameAccount,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  if (!(await consumeLostReply(deps.database, account))) throw new Refusal('SLOT_ALREADY_ACTIVE');
  await insertReveal(deps.database, account, 'activate', viewer);
  return readCredentials(deps, account, deps.secretBox.open(account.password, sealContext(account)), viewer);
}

/** Creates the player at the provider. @returns the player's login at the provider */
async function createPlayer(deps: GameDeps, provider: GameProvider, openingAccount: GameAccount): Promise<Created> {
  const password = deps.secretBox.open(openingAccount.password, sealContext(openingAccount));
  let { username, createCalls } = openingAccount;
  for (let attempt = 1; attempt <= USERNAME_ATTEMPTS_MAX; attempt += 1) {
    const createOutcome = await provider.create({ username, password });
    if (createOutcome.outcome === 'done') return createOutcome.value;
    const isTaken = createOutcome.outcome === 'refused' && createOutcome.reason === 'exists';
    if (!isTaken) {
      await releaseOpening(deps.database, openingAccount, createOutcome.outcome === 'refused');
      throw toRefusal(createOutcome);
    }
    // An earlier call with this username got no reply, so this member's call created the player.
    if (createCalls > 1) return takeOverPlayer(deps, provider, openingAccount, { username, password });
    username = newUsername();
    createCalls = 1;
    await renameOpening(deps.database, openingAccount, username);
  }
  await releaseOpening(deps.database, openingAccount, true);
  throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
}

/** Takes over a player whose creation was never confirmed. The creation may have failed before the password was set. */
async function takeOverPlayer(
  deps: GameDeps,
  provider: GameProvider,
  openingAccount: GameAccount,
  player: Player,
): Promise<Created> {
  const passwordOutcome = await provider.setPassword(player);
  if (passwordOutcome.outcome === 'done') return { username: player.username };
  await releaseOpening(deps.database, openingAccount, false);
  throw toRefusal(passwordOutcome);
}

function toRefusal(failure: Exclude<Outcome<unknown>, { outcome: 'done' }>): Refusal {
  if (failure.outcome === 'unknown') return new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_SILENT' });
  const detail = REFUSAL_DETAILS[failure.reason];
  return detail === undefined ? new Refusal('SLOT_ACTIVATE_FAIL') : new Refusal('GAME_ACTIVATION_FAIL', { detail });
}

/** Refusal details for failures caused by the provider's state, not by the request. */
const REFUSAL_DETAILS: Partial<Record<RefusalReason, string>> = {
  unreachable: 'PROVIDER_UNREACHABLE',
  maintenance: 'MAINTENANCE',
  'pool-empty': 'POOL_EMPTY',
};
