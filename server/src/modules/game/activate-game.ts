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
/** As many names, and a password that is set apart. */
const CALLS_MAX = NAMES_MAX + 1;
/** Past the provider's timeout no call is in flight any more. */
const LEASE_MARGIN_MS = 2_000;

/**
 * Opens a game account and shows its credentials. The row with username and password comes first, so that a player whom
 * the provider opened without our hearing of it is taken for ours the next time.
 * @throws NO_GAME, NO_WALLET, SLOT_ALREADY_ACTIVE, GAME_ACTIVATION_FAIL (maintenance, pool empty, no answer),
 *   SLOT_ACTIVATE_FAIL
 */
export async function activateGame(
  access: GameDeps,
  memberId: string,
  code: string,
  viewer: CredentialViewer,
): Promise<GameCredentials> {
  const { database, secretBox } = access;
  const game = await selectGame(database, code);
  if (!game || game.isHidden) throw new Refusal('NO_GAME');
  await access.account.assertWalletOpen(memberId);
  const key = { memberId, gameCode: code };
  const existing = await selectAccount(database, key);
  if (existing?.state === 'ACTIVE') return showAgain(access, existing, viewer);
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const provider = requireProvider(access, game.provider);
  const password = secretBox.seal(newPassword(), sealContext(key));
  const wanted = { ...key, provider: game.provider, username: newUsername(), password };
  const opening = await claimOpening(database, wanted, CALLS_MAX * provider.timeoutMs + LEASE_MARGIN_MS);
  if (!opening) throw inProgress();
  const created = await createPlayer(access, provider, opening);
  const { username } = created;
  // A provider that gives accounts out of a pool chooses the password too.
  const sealed = created.password === undefined ? opening.password : secretBox.seal(created.password, sealContext(key));
  try {
    return await database.tx(async (tx) => {
      if (!(await markActive(tx, { ...opening, username, password: sealed }))) throw inProgress();
      await insertReveal(tx, { ...opening, username }, 'activate', viewer);
      return readCredentials(access, { ...opening, username }, secretBox.open(sealed, sealContext(key)), viewer);
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'game_account_unique_username') throw error;
    // The provider has returned an account of another member: accounts are never shared.
    await releaseOpening(database, opening, false);
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
  }
}

const inProgress = (): Refusal => new Refusal('REQUEST_LIMIT', { detail: 'ACTIVATION_IN_PROGRESS' });

// A client that lost the answer retries: within a minute that is not an error.
async function showAgain(access: GameDeps, account: GameAccount, viewer: CredentialViewer): Promise<GameCredentials> {
  if (!(await consumeLostReply(access.database, account))) throw new Refusal('SLOT_ALREADY_ACTIVE');
  await insertReveal(access.database, account, 'activate', viewer);
  return readCredentials(access, account, access.secretBox.open(account.password, sealContext(account)), viewer);
}

/** Returns the login by which the provider knows the player. */
async function createPlayer(access: GameDeps, provider: GameProvider, opening: GameAccount): Promise<Created> {
  const password = access.secretBox.open(opening.password, sealContext(opening));
  let { username, createCalls } = opening;
  for (let name = 1; name <= NAMES_MAX; name += 1) {
    const created = await provider.create({ username, password });
    if (created.outcome === 'done') return created.value;
    const isTaken = created.outcome === 'refused' && created.reason === 'exists';
    if (!isTaken) {
      await releaseOpening(access.database, opening, created.outcome === 'refused');
      throw refusalOf(created);
    }
    // We asked for this name before and got no answer: so it was us.
    if (createCalls > 1) return claimPlayer(access, provider, opening, { username, password });
    username = newUsername();
    createCalls = 1;
    await renameOpening(access.database, opening, username);
  }
  await releaseOpening(access.database, opening, true);
  throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'NAMES_TAKEN' });
}

/** A player of ours whose opening was never confirmed: it may have failed before the password was set. */
async function claimPlayer(
  access: GameDeps,
  provider: GameProvider,
  opening: GameAccount,
  player: Player,
): Promise<Created> {
  const set = await provider.setPassword(player);
  if (set.outcome === 'done') return { username: player.username };
  await releaseOpening(access.database, opening, false);
  throw refusalOf(set);
}

function refusalOf(created: Exclude<Outcome<unknown>, { outcome: 'done' }>): Refusal {
  if (created.outcome === 'unknown') return new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_SILENT' });
  const detail = DETAILS[created.reason];
  return detail === undefined ? new Refusal('SLOT_ACTIVATE_FAIL') : new Refusal('GAME_ACTIVATION_FAIL', { detail });
}

/** No account because of how the provider is, not of what was asked. */
const DETAILS: Partial<Record<RefusalReason, string>> = {
  unreachable: 'PROVIDER_UNREACHABLE',
  maintenance: 'MAINTENANCE',
  'pool-empty': 'POOL_EMPTY',
};
