import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { createSemaphore } from '../../platform/jobs/semaphore.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { GameModule } from '../game/module.ts';
import type { TransferModule } from '../transfer/module.ts';
import { holdGate } from './queries.ts';
import type { factsReader } from './read-standing.ts';

/** What the use cases of incentives work with. */
export type IncentiveWork = {
  database: Database;
  ledger: Pick<Ledger, 'postStep' | 'balances' | 'playSince'>;
  clock: Clock;
  game: Pick<GameModule, 'refresh' | 'holdBets'>;
  transfer: Pick<TransferModule, 'sweepToWallet' | 'sweepMissing'>;
  /** What a standing is made of, of one moment. */
  readFacts: ReturnType<typeof factsReader>;
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
export function gatekeeper(database: Database): IncentiveWork['underGate'] {
  const inLine = createSemaphore(AT_ONCE, LINE_MAX, refuse);
  const lines = new Map<string, { line: ReturnType<typeof createSemaphore>; people: number }>();
  return async (memberId, work) => {
    const mine = lines.get(memberId) ?? { line: createSemaphore(1, OF_ONE_MAX, refuse), people: 0 };
    lines.set(memberId, mine);
    mine.people += 1;
    const pass = () =>
      database.tx(async (tx) => {
        await holdGate(tx, memberId);
        return work(tx);
      });
    try {
      return await mine.line(() => inLine(pass));
    } finally {
      mine.people -= 1;
      if (mine.people === 0) lines.delete(memberId);
    }
  };
}

function refuse(): never {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: RETRY_SECONDS });
}
