import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import type { Clock } from '../../platform/time.ts';
import type { GameModule } from '../game/index.ts';
import type { TransferModule } from '../transfer/index.ts';
import type { eligibilityReader } from './load-eligibility.ts';
import { lockMember } from './queries.ts';

/** Dependencies of the incentive module. */
export type IncentiveDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand' | 'balances' | 'playSince'>;
  clock: Clock;
  game: Pick<GameModule, 'refresh' | 'lockBets'>;
  transfer: Pick<TransferModule, 'sweepToWallet' | 'sweepMissing'>;
  /** Reads the fields of an eligibility at one moment. */
  readEligibilityFields: ReturnType<typeof eligibilityReader>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Runs a callback in a transaction that holds the member lock. */
  withMemberLock<T>(memberId: string, callback: (tx: Tx) => Promise<T>): Promise<T>;
};

/**
 * Limit per process: a transaction that waits for a member lock occupies a connection, which other callers need too.
 */
const TRANSACTIONS_MAX = 3;
const QUEUE_MAX = 1_000;
const MEMBER_QUEUE_MAX = 100;
const RETRY_SECONDS = 5;

/**
 * Runs transactions under member locks. Their total number is limited. Each member has one at a time, so that a member
 * with many calls does not delay the others.
 */
export function memberLock(database: Database): IncentiveDeps['withMemberLock'] {
  const globalSemaphore = createSemaphore(TRANSACTIONS_MAX, QUEUE_MAX, refuseBusy);
  const memberQueues = new Map<string, { semaphore: ReturnType<typeof createSemaphore>; callerCount: number }>();
  return async (memberId, callback) => {
    const memberQueue = memberQueues.get(memberId) ?? {
      semaphore: createSemaphore(1, MEMBER_QUEUE_MAX, refuseBusy),
      callerCount: 0,
    };
    memberQueues.set(memberId, memberQueue);
    memberQueue.callerCount += 1;
    const runLocked = () =>
      database.tx(async (tx) => {
        await lockMember(tx, memberId);
        return callback(tx);
      });
    try {
      return await memberQueue.semaphore(() => globalSemaphore(runLocked));
    } finally {
      memberQueue.callerCount -= 1;
      if (memberQueue.callerCount === 0) memberQueues.delete(memberId);
    }
  };
}

function refuseBusy(): never {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: RETRY_SECONDS });
}
