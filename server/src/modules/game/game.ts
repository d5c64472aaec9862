import type { Language } from '@krapao/contract/languages';
import { GAME_CREDENTIAL_CHARACTERS_MAX } from '@krapao/contract/constants';
import { type Minor, minor } from '@krapao/contract/money';
import type { GameAccountState } from '@krapao/contract/states';
import type { RewriteAddress } from '../../platform/http/requested-host.ts';
import { newReference } from '../../platform/ids.ts';
import { type Credits, credits, type GameProvider, type LoginForm } from '../../adapters/game/port.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { GameProviders } from '../../adapters/game/index.ts';
import type { AccountModule } from '../account/index.ts';

/** The wallet's word on the wire; no game may be called so. */
export const WALLET = 'WALLET';

/** A game as the operator has set it. */
export type Game = {
  code: string;
  name: string;
  /** What members read in each language; null for a brand, which has one name. */
  names: Readonly<Record<Language, string>> | null;
  category: 'slot' | 'sport' | 'lotto';
  /** Name of the provider in the configuration. */
  provider: string;
  /** The provider's own code of it; null opens the provider's main game. */
  providerGame: string | null;
  ftWalletSlot: number;
  logo: string;
  background: string;
  web: string | null;
  android: string | null;
  ios: string | null;
  inMaintenance: boolean;
  /** No longer offered: no new accounts, no transfers in, no play. Money there can be moved back to the wallet. */
  isHidden: boolean;
};

/** A member's login at a game. Passwords are sealed. */
export type GameAccount = {
  memberId: string;
  gameCode: string;
  provider: string;
  username: string;
  password: Buffer;
  /** Sent as the new password, without an answer from the provider. */
  passwordNext: Buffer | null;
  state: GameAccountState;
  createCalls: number;
  /** Reference of the transfer under way. */
  busyWith: string | null;
  version: bigint;
  isStale: boolean;
  /** False when a transfer was there since the last refresh. */
  areBetsKnown: boolean;
  /** Staked in open bets, by the last refresh. */
  outstanding: Minor;
  /** Stakes of settled bets since the account was opened; null where the provider doesn't report them. */
  turnover: Minor | null;
};

/**
 * Whether a member sees a game: one that is offered no more only as long as there is something of theirs.
 * @param amount what the ledger has there
 */
export const isVisible = (
  { isHidden }: Pick<Game, 'isHidden'>,
  account: Pick<GameAccount, 'outstanding' | 'busyWith'> | undefined,
  amount: Minor,
): boolean =>
  !isHidden || (account !== undefined && (amount > 0n || account.outstanding > 0n || account.busyWith !== null));

/**
 * Whether money of a game can be moved to the wallet now, by the last refresh; a transfer may still fail.
 * @param provider undefined when it is not configured
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

/** What a member needs to sign in at a provider; `form` where a browser posts them to its site. */
export type GameCredentials = { username: string; password: string; form?: LoginForm };

/** The viewer of a login: for the access log, the language, and rewriting addresses. */
export type CredentialViewer = {
  requestId: string;
  address: string;
  language: Language;
  rewriteAddress: RewriteAddress;
};

/** The member account of the ledger in which a game's money lies. */
export const gameLedgerKind = (code: string): `GAME:${string}` => `GAME:${code}`;

/** What the provider counts for an amount: exact. */
export const toCredits = (amount: Minor, ftWalletSlot: number): Credits => credits(amount * BigInt(ftWalletSlot));

/** What the provider's credits are worth to the member, rounded down to a minor unit. */
export const toAmount = (cash: Credits, ftWalletSlot: number): Minor => minor(cash / BigInt(ftWalletSlot));

const PREFIX = 'kp';
const PASSWORD_CHARACTERS = 12;

/** A username that fits every provider: lower case, because many don't distinguish upper and lower case. */
export const newUsername = (): string =>
  PREFIX + newReference(GAME_CREDENTIAL_CHARACTERS_MAX - PREFIX.length).toLowerCase();

/** A password that fits every provider: 59 random bits, in letters that a person can read. */
export const newPassword = (): string => newReference(PASSWORD_CHARACTERS);

/** What a sealed password belongs to: moved to another row it doesn't open. */
export const sealContext = (account: { memberId: string; gameCode: string }): string =>
  `game-password:${account.memberId}:${account.gameCode}`;

/** What the use cases of games work with. */
export type GameDeps = {
  database: Database;
  ledger: Ledger;
  providers: GameProviders;
  secretBox: SecretBox;
  /** Where a game sends the member back to. */
  publicUrl: string;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/** The adapter of a provider. Throws GAME_ACTIVATION_FAIL when the configuration has none by that name. */
export function requireProvider(access: GameDeps, name: string): GameProvider {
  const provider = access.providers.get(name);
  if (!provider) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  return provider;
}
