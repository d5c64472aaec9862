import { GAME_CREDENTIAL_CHARACTERS_MAX } from '@krapao/contract/constants';
import type { Language } from '@krapao/contract/languages';
import { type Minor, minor } from '@krapao/contract/money';
import type { GameAccountState } from '@krapao/contract/states';
import type { GameProviders } from '../../adapters/game/index.ts';
import { type Credits, credits, type GameProvider, type LoginForm } from '../../adapters/game/port.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { RewriteAddress } from '../../platform/http/requested-host.ts';
import { newReference } from '../../platform/ids.ts';
import type { AccountModule } from '../account/index.ts';

/** The wallet's code in transfers and on the wire; no game may have this code. */
export const WALLET = 'WALLET';

/** A game as configured by the operator. */
export type Game = {
  code: string;
  name: string;
  /** Names by language; null for a brand with one name for all languages. */
  names: Readonly<Record<Language, string>> | null;
  category: 'slot' | 'sport' | 'lotto';
  /** Name of the provider in the configuration. */
  provider: string;
  /** The provider's code of the game; null opens its main game. */
  providerGame: string | null;
  creditsPerUnit: number;
  logo: string;
  background: string;
  web: string | null;
  android: string | null;
  ios: string | null;
  inMaintenance: boolean;
  /** When a game in maintenance is expected to open. */
  closedUntil: Date | null;
  /** Withdrawn: no new accounts, transfers in or launches. Its money can be moved back to the wallet. */
  isHidden: boolean;
};

/** A member's login at a game. Passwords are sealed. */
export type GameAccount = {
  memberId: string;
  gameCode: string;
  provider: string;
  username: string;
  password: Buffer;
  /** New password whose reset got no reply from the provider; null without one. */
  passwordNext: Buffer | null;
  state: GameAccountState;
  createCalls: number;
  /** Reference of the pending transfer; null without one. */
  busyWith: string | null;
  version: bigint;
  isStale: boolean;
  /** False after a transfer since the last refresh. */
  areBetsKnown: boolean;
  /** Stakes of open bets, by the last refresh. */
  outstanding: Minor;
  /** Stakes of settled bets since the account was opened; null if the provider does not report them. */
  turnover: Minor | null;
};

/**
 * Whether a game is visible. A withdrawn game is visible only while the member has money or open bets in it.
 * @param amount ledger balance of the game account
 */
export const isVisible = (
  { isHidden }: Pick<Game, 'isHidden'>,
  account: Pick<GameAccount, 'outstanding' | 'busyWith'> | undefined,
  amount: Minor,
): boolean =>
  !isHidden || (account !== undefined && (amount > 0n || account.outstanding > 0n || account.busyWith !== null));

/**
 * Whether the money of a game can be moved to the wallet, by the last refresh. The transfer may still fail.
 * @param provider undefined if it is not configured
 */
export const canMoveOut = (
  { inMaintenance }: Pick<Game, 'inMaintenance'>,
  { busyWith, isStale, outstanding }: Pick<GameAccount, 'busyWith' | 'isStale' | 'outstanding'>,
  provider: Pick<GameProvider, 'isLockedByOpenBets'> | undefined,
): boolean =>
  provider !== undefined &&
  !inMaintenance &&
  busyWith === null &&
  !isStale &&
  !(provider.isLockedByOpenBets && outstanding > 0n);

/** A member's login at a provider. `form`: set if a browser posts the login to the provider's site. */
export type GameCredentials = { username: string; password: string; form?: LoginForm };

/** The client that views a login: for the access log, the language and the rewriting of addresses. */
export type CredentialViewer = {
  requestId: string;
  address: string;
  language: Language;
  rewriteAddress: RewriteAddress;
};

/** Kind of the member's ledger account for a game. */
export const gameLedgerKind = (code: string): `GAME:${string}` => `GAME:${code}`;

/** Converts an amount to provider credits, exactly. */
export const toCredits = (amount: Minor, creditsPerUnit: number): Credits => credits(amount * BigInt(creditsPerUnit));

/** Converts provider credits to an amount, rounded down to a minor unit. */
export const toAmount = (creditAmount: Credits, creditsPerUnit: number): Minor =>
  minor(creditAmount / BigInt(creditsPerUnit));

const USERNAME_PREFIX = 'kp';
const PASSWORD_CHARACTERS = 12;

/** A username valid at every provider. Lower case, because many providers ignore case. */
export const newUsername = (): string =>
  USERNAME_PREFIX + newReference(GAME_CREDENTIAL_CHARACTERS_MAX - USERNAME_PREFIX.length).toLowerCase();

/** A password valid at every provider: 59 random bits, in unambiguous characters. */
export const newPassword = (): string => newReference(PASSWORD_CHARACTERS);

/** Encryption context that binds a sealed password to its row: it can't be opened for another row. */
export const sealContext = (account: { memberId: string; gameCode: string }): string =>
  `game-password:${account.memberId}:${account.gameCode}`;

export type GameDeps = {
  database: Database;
  ledger: Ledger;
  providers: GameProviders;
  secretBox: SecretBox;
  /** Site URL to which a game returns the member. */
  publicUrl: string;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/** The adapter of a provider. @throws {Refusal} GAME_ACTIVATION_FAIL if it is not configured */
export function requireProvider(deps: GameDeps, name: string): GameProvider {
  const provider = deps.providers.get(name);
  if (!provider) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  return provider;
}
