import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { ErrorCode } from '@krapao/contract/errors';
import { type Currency, type Minor, minor, parseAmount } from '@krapao/contract/money';
import { isFinal as isFinalState, type TransferState, transferTransitions } from '@krapao/contract/states';
import {
  type Credits,
  credits,
  type Direction,
  type ProviderBalance,
  type Refused,
  type RefusalReason,
  type Unknown,
} from '../../adapters/game/port.ts';
import { WALLET, type GameModule } from '../game/index.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { GameProviders } from '../../adapters/game/index.ts';
import type { AccountModule } from '../account/index.ts';

/** What a member asked for, once, under an idempotency key. */
export type Transfer = {
  id: string;
  memberId: string;
  currency: Currency;
  source: string;
  target: string;
  amount: Minor;
  /** What a person finds it by; both legs carry it. */
  reference: string;
  inputHash: Buffer;
};

/** One movement between the wallet and one game account. */
export type Leg = {
  transferId: string;
  leg: 1 | 2;
  memberId: string;
  currency: Currency;
  reference: string;
  gameCode: string;
  ftWalletSlot: number;
  direction: Direction;
  amount: Minor;
  credits: Credits;
  /** Where the second leg of the transfer goes; null in that leg, and where there is none. */
  nextGame: string | null;
  provider: string;
  username: string;
  providerReference: string;
  state: TransferState;
  proof: 'APPLIED' | 'REFUSED' | null;
  /** Who found that out: `member` (the call that waited), `resolver`, `operator:NAME`. */
  proofBy: string | null;
  /** The player's cash after it, in hundredths of a credit, where the provider told. */
  proofBalance: Credits | null;
  /** Cash and open stakes right before the call, for a provider that can't be asked. */
  balanceBefore: Credits | null;
  /** Stakes of settled rounds at that moment, where the provider tells. */
  turnoverBefore: Credits | null;
  /** The same two when the provider was last looked at. */
  balanceSeen: Credits | null;
  turnoverSeen: Credits | null;
  code: ErrorCode | null;
  detail: string | null;
  /** How often the provider has said that there is no such transfer. */
  absences: number;
  /** How often the resolver has asked. */
  asks: number;
  /** The last inquiry had no answer. */
  isSilent: boolean;
  fence: number;
  /** Since the call went out, by the clock of the database; null before. */
  sentAgoMs: number | null;
};

/** What lay at the provider at one moment: cash and open stakes together, and the stakes of settled rounds. */
export type BalanceReading = { whole: Credits; turnover: Credits | null };

/** Opening a round doesn't change the whole, nor does one that comes back void; one that is settled adds to the turnover. */
export const balanceReading = ({ cash, outstanding, turnover }: ProviderBalance): BalanceReading => ({
  whole: credits(cash + outstanding),
  turnover,
});

/** Why a leg was reversed, as answered to the member. */
export type Reversal = { code: 'TRANSFER_FAIL' | 'MONEY_NOT_ENOUGH'; detail?: string };

/** Detail when a provider can't even say what lies there, so that nothing was begun. */
export const unreadableDetail = (answer: Refused | Unknown): string =>
  answer.outcome === 'refused' && answer.reason === 'maintenance' ? PROVIDER_MAINTENANCE : 'PROVIDER_UNAVAILABLE';

const PROVIDER_MAINTENANCE = 'PROVIDER_MAINTENANCE';

/** The answer to the member for a movement that the provider has refused. */
export function reversalFor(direction: Direction, reason: RefusalReason): Reversal {
  switch (reason) {
    case 'insufficient':
      // The provider is the judge of what lies in the game: the member may have played since we looked.
      return { code: direction === 'out' ? 'MONEY_NOT_ENOUGH' : 'TRANSFER_FAIL' };
    case 'open-bets':
      return { code: 'TRANSFER_FAIL', detail: 'OPEN_BETS' };
    case 'maintenance':
      return { code: 'TRANSFER_FAIL', detail: PROVIDER_MAINTENANCE };
    case 'unreachable':
      return { code: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' };
    case 'exists':
    case 'no-player':
    case 'no-transfer':
    case 'pool-empty':
    case 'declined':
      return { code: 'TRANSFER_FAIL' };
  }
}

const MINIMUM = minor(BigInt(TRANSFER_MINIMUM) * 100n);

/** Reads an amount as it came. Undefined for what isn't one, or is below the smallest transfer. */
export function readTransferAmount(value: unknown): Minor | undefined {
  const amount = parseAmount(value);
  return amount !== undefined && isAboveMinimum(amount) ? amount : undefined;
}

/** Whether an amount can be transferred at all. */
export const isAboveMinimum = (amount: Minor): boolean => amount >= MINIMUM;

/** The movements that a transfer is made of: one, or two through the wallet. */
export function legsBetween(source: string, target: string): { gameCode: string; direction: Direction }[] {
  const legs: { gameCode: string; direction: Direction }[] = [];
  if (source !== WALLET) legs.push({ gameCode: source, direction: 'out' });
  if (target !== WALLET) legs.push({ gameCode: target, direction: 'in' });
  return legs;
}

export const isFinal = (state: TransferState): boolean => isFinalState(transferTransitions, state);

export type TransferResult =
  | { kind: 'done' }
  | { kind: 'processing' }
  | { kind: 'refused'; code: ErrorCode; detail: string | undefined };

/** The answer to the member for a transfer, by the current state of its legs. */
export function resultOf(legs: readonly Pick<Leg, 'state' | 'code' | 'detail'>[]): TransferResult {
  const [first, second] = legs;
  if (!first) throw new Error('a transfer without legs');
  if (legs.some(({ state }) => !isFinal(state))) return { kind: 'processing' };
  if (first.state === 'REVERSED') return refusal(first);
  // From game to game: what came is in the wallet and stays there.
  if (second?.state === 'REVERSED') return { ...refusal(second), detail: RESTS_IN_WALLET };
  return { kind: 'done' };
}

/** Detail of a game-to-game transfer whose second half was refused. */
export const RESTS_IN_WALLET = 'RESTS_IN_WALLET';

function refusal({ code, detail }: Pick<Leg, 'code' | 'detail'>): Extract<TransferResult, { kind: 'refused' }> {
  return { kind: 'refused', code: code ?? 'TRANSFER_FAIL', detail: detail ?? undefined };
}

/** What the use cases of transfers work with. */
export type TransferDeps = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  providers: GameProviders;
  game: GameModule;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Tells the resolver of this process that something fell due. */
  wakeResolver(): void;
};

/** For everything of one step that isn't the provider's call: the ledger, the database, a busy machine. */
const LEASE_MARGIN_MS = 3_000;

/** Lease of the worker of a leg: a balance, a hold, a call. */
export const legLeaseMs = (timeoutMs: number): number => 2 * timeoutMs + LEASE_MARGIN_MS;

/** How long a call to any provider may take. */
export const longestTimeoutMs = ({ providers }: Pick<TransferDeps, 'providers'>): number =>
  Math.max(0, ...[...providers.values()].map(({ timeoutMs }) => timeoutMs));
