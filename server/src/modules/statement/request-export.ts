import type { exportStatement } from '@krapao/contract/endpoints/statement';
import type { Currency } from '@krapao/contract/money';
import { EXPORT_DAYS_MAX } from '@krapao/contract/statement';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { type Clock, DAY_MS } from '../../platform/time.ts';
import type { GameModule } from '../game/index.ts';
import { countRecent, findByKey, insertExport, type StatementExport } from './export-queries.ts';
import type { ReadPeriodDeps } from './read-period.ts';

type ExportRequest = z.output<NonNullable<(typeof exportStatement)['body']>>;
/** As requested, with the member's currency. */
export type ExportInput = ExportRequest & { currency: Currency };

export type ExportDeps = ReadPeriodDeps & {
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  secretBox: SecretBox;
  /** Base of addresses in replies, without a final slash. */
  publicUrl: string;
  game: Pick<GameModule, 'names' | 'search'>;
};

/** Files of one member within a day. */
const DAILY_MAX = 10;

/**
 * Starts to make a file; the same key with the same request gets the same file.
 * @throws {Refusal} NO_DATA: the period is empty or longer than 12 months · REQUEST_LIMIT: one is being made, or ten were
 *   requested within a day
 */
export function requestExport(
  { database, clock }: ExportDeps,
  { member, request, key }: { member: Member; request: ExportRequest; key: string | undefined },
): Promise<string> {
  const days = (Date.parse(request.until) - Date.parse(request.from)) / DAY_MS;
  if (!(days > 0 && days <= EXPORT_DAYS_MAX)) throw new Refusal('NO_DATA', { detail: 'PERIOD', status: 400 });
  const requestHash = hashRequest(request);
  const tooMany = (detail: string) => new Refusal('REQUEST_LIMIT', { detail });
  return runIdempotent<StatementExport, string>({
    key,
    requestHash,
    find: (known) => findByKey(database, member.id, known),
    open: async () => {
      if ((await countRecent(database, member.id)) >= DAILY_MAX) throw tooMany('EXPORTS_PER_DAY');
      const input: ExportInput = { ...request, currency: member.currency };
      const id = uuidV7(clock.now());
      const row = await insertExport(database, { id, memberId: member.id, key, requestHash, input });
      if (!row) throw tooMany('EXPORT_RUNNING');
      return { row, isNew: true };
    },
    toReply: ({ id }) => id,
    busyError: () => tooMany('EXPORT_RUNNING'),
  });
}
