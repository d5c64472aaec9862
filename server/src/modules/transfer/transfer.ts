import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { ErrorCode } from '@krapao/contract/errors';
import { type Currency, type Minor, minor, parseAmount } from '@krapao/contract/money';
import { isFinal as isFinalState, type TransferState, transferTransitions } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { GameProviders } from '../../adapters/game/index.ts';
import {
  type Credits,
  credits,
  type Direction,
  type ProviderBalance,
  type Refused,
  type RefusalReason,
  type Unknown,
} from '../../adapters/game/port.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import { WALLET, type GameModule } from '../game/index.ts';

/** A member's transfer, one per idempotency key. */
export type Transfer = {
  id: string;
  memberId: string;
  currency: Currency;
  source: string;
  target: string;
  amount: Minor;
  /** Shown to members and operators; shared by both legs. */
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
  creditsPerUnit: number;
  direction: Direction;
  amount: Minor;
  credits: Credits;
  /** Game of the second leg; null in the second leg, and without one. */
  nextGame: string | null;
  provider: string;
  username: string;
  providerReference: string;
  state: TransferState;
  proof: 'APPLIED' | 'REFUSED' | null;
  /** Actor of the proof: `member` (the waiting request), `resolver`, `operator:NAME`. */
  proofBy: string | null;
  /** Cash after the movement, in hundredths of a credit, if reported. */
  proofBalance: Credits | null;
  /** Cash and open stakes right before the call, for a provider without inquiries. */
  balanceBefore: Credits | null;
  /** Stakes of settled rounds right before the call, if reported. */
  turnoverBefore: Credits | null;
  /** `balanceBefore` and `turnoverBefore` as read by the last inquiry. */
  balanceSeen: Credits | null;
  turnoverSeen: Credits | null;
  code: ErrorCode | null;
  detail: string | null;
  /** Number of "no such transfer" replies. */
  absences: number;
  /** Number of inquiries by the resolver. */
  inquiries: number;
  /** True if the last inquiry got no reply. */
  isSilent: boolean;
  fence: number;
  /** Time since the call, by the database's clock; null before the call. */
  sentAgoMs: number | null;
};

/** Balance at the provider. `cashAndStakes`: cash and open stakes. `turnover`: stakes of settled rounds. */
export type BalanceReading = { cashAndStakes: Credits; turnover: Credits | null };

/** Converts a provider balance. An open or void round does not change `cashAndStakes`; a settled round adds to `turnover`. */
export const balanceReading = ({ cash, outstanding, turnover }: ProviderBalance): BalanceReading => ({
  cashAndStakes: credits(cash + outstanding),
  turnover,
});

/** Why a leg was reversed, as shown to the member. */
export type Reversal = { code: 'TRANSFER_FAIL' | 'MONEY_NOT_ENOUGH'; detail?: string };

/** Error detail if a provider does not report its balance, so that no transfer was started. */
export const unreadableDetail = (reply: Refused | Unknown): string =>
  reply.outcome === 'refused' && reply.reason === 'maintenance' ? PROVIDER_MAINTENANCE : 'PROVIDER_UNAVAILABLE';

const PROVIDER_MAINTENANCE = 'PROVIDER_MAINTENANCE';

/** Reversal of a movement that the provider has refused. */
export function reversalFor(direction: Direction, reason: RefusalReason): Reversal {
  switch (reason) {
    case 'insufficient':
      // The member may have played since the balance was read.
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

const TRANSFER_MINIMUM_MINOR = minor(BigInt(TRANSFER_MINIMUM) * 100n);

/** Parses a transfer amount. @returns undefined if it is invalid or below the minimum */
export function readTransferAmount(value: unknown): Minor | undefined {
  const amount = parseAmount(value);
  return amount !== undefined && isAboveMinimum(amount) ? amount : undefined;
}

export const isAboveMinimum = (amount: Minor): boolean => amount >= TRANSFER_MINIMUM_MINOR;

/** The legs of a transfer: one, or two through the wallet. */
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

/** Result for the member, by the current state of the legs. */
export function resultOf(legs: readonly Pick<Leg, 'state' | 'code' | 'detail'>[]): TransferResult {
  const [firstLeg, secondLeg] = legs;
  if (!firstLeg) throw new Error('a transfer without legs');
  if (legs.some(({ state }) => !isFinal(state))) return { kind: 'processing' };
  if (firstLeg.state === 'REVERSED') return refusedResult(firstLeg);
  // Game to game: the money of the first leg stays in the wallet.
  if (secondLeg?.state === 'REVERSED') return { ...refusedResult(secondLeg), detail: RESTS_IN_WALLET };
  return { kind: 'done' };
}

/** Detail of a game-to-game transfer whose second leg was refused. */
export const RESTS_IN_WALLET = 'RESTS_IN_WALLET';

function refusedResult({ code, detail }: Pick<Leg, 'code' | 'detail'>): Extract<TransferResult, { kind: 'refused' }> {
  return { kind: 'refused', code: code ?? 'TRANSFER_FAIL', detail: detail ?? undefined };
}

export type TransferDeps = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  providers: GameProviders;
  game: GameModule;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Wakes the resolver of this process, because a leg is due. */
  wakeResolver(): void;
};

/** Margin for the ledger and the database on a busy machine. */
const LEASE_MARGIN_MS = 3_000;

/** Lease of a leg: a balance inquiry and a movement. */
export const legLeaseMs = (timeoutMs: number): number => 2 * timeoutMs + LEASE_MARGIN_MS;

export const longestTimeoutMs = ({ providers }: Pick<TransferDeps, 'providers'>): number =>
  Math.max(0, ...[...providers.values()].map(({ timeoutMs }) => timeoutMs));
