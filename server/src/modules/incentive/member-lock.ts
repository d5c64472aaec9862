import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import type { Clock } from '../../platform/time.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import { Refusal } from '../../platform/errors.ts';
import type { GameModule } from '../game/index.ts';
import type { TransferModule } from '../transfer/index.ts';
import { lockMember } from './queries.ts';
import type { eligibilityReader } from './load-eligibility.ts';

/** What the use cases of incentives work with. */
export type IncentiveDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand' | 'balances' | 'playSince'>;
  clock: Clock;
  game: Pick<GameModule, 'refresh' | 'holdBets'>;
  transfer: Pick<TransferModule, 'sweepToWallet' | 'sweepMissing'>;
  /** What a standing is made of, of one moment. */
  readFacts: ReturnType<typeof eligibilityReader>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Runs work in a transaction that holds the member's gate. */
  underGate<T>(memberId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
};

/** Per process: a transaction that waits for a gate holds a connection, and other callers need connections too. */
const AT_ONCE = 3;
const LINE_MAX = 1_000;
const OF_ONE_MAX = 100;
const RETRY_SECONDS = 5;

/**
 * Transactions under gates: bounded in number, and one per member, so that a member with many calls does not delay the
 * others.
 */
export function memberLock(database: Database): IncentiveDeps['underGate'] {
  const inLine = createSemaphore(AT_ONCE, LINE_MAX, refuse);
  const lines = new Map<string, { line: ReturnType<typeof createSemaphore>; people: number }>();
  return async (memberId, work) => {
    const own = lines.get(memberId) ?? { line: createSemaphore(1, OF_ONE_MAX, refuse), people: 0 };
    lines.set(memberId, own);
    own.people += 1;
    const pass = () =>
      database.tx(async (tx) => {
        await lockMember(tx, memberId);
        return work(tx);
      });
    try {
      return await own.line(() => inLine(pass));
    } finally {
      own.people -= 1;
      if (own.people === 0) lines.delete(memberId);
    }
  };
}

function refuse(): never {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: RETRY_SECONDS });
}
