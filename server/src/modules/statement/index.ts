import {
  exportStatement,
  getStatementExport,
  listStatement,
  statementFilter,
} from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { FilteredPage, Ledger, StatementRow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { StandbyReads } from '../../platform/database/standby.ts';
import { Refusal } from '../../platform/errors.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import type { WithdrawModule } from '../withdraw/index.ts';
import { type ExportDeps, exportStatus, openExport, requestExport, startExports } from './export.ts';
import { ledgerFilter } from './search.ts';
import { rewardSource, type StatementEntry, toWireEntry } from './statement.ts';

export { counterpartyOf } from './statement.ts';

export { exportQueue } from './export-queries.ts';

export type StatementDeps = Omit<ExportDeps, 'describe'> & {
  ledger: Pick<Ledger, 'statement' | 'filteredStatement'> & ExportDeps['ledger'];
  withdraw: Pick<WithdrawModule, 'payoutOutcomes'>;
  incentive: Pick<IncentiveModule, 'describeGrants'>;
  variant: Variant;
  /** Reads from a standby: a page may be seconds old, but includes everything committed through this node. */
  standby: Pick<StandbyReads, 'of'>;
};

/** Concurrent and waiting filtered searches of one member, per process. */
const SEARCHES_MAX = 2;
const WAITING_SEARCHES_MAX = 8;

const isFiltered = (body: object): boolean => Object.keys(statementFilter.shape).some((field) => field in body);

/** Limits the searches of each member. @throws {Refusal} REQUEST_LIMIT */
function createSearchLimit(): <T>(memberId: string, search: () => Promise<T>) => Promise<T> {
  const limits = new Map<string, { run: ReturnType<typeof createSemaphore>; searches: number }>();
  const onFull = (): never => {
    throw new Refusal('REQUEST_LIMIT');
  };
  return async (memberId, search) => {
    const limit = limits.get(memberId) ?? {
      run: createSemaphore(SEARCHES_MAX, WAITING_SEARCHES_MAX, onFull),
      searches: 0,
    };
    limits.set(memberId, limit);
    limit.searches += 1;
    try {
      return await limit.run(search);
    } finally {
      limit.searches -= 1;
      if (limit.searches === 0) limits.delete(memberId);
    }
  };
}

const isWithdrawal = ({ kind }: StatementRow): boolean => kind === 'withdraw';
const isGrant = ({ kind }: StatementRow): boolean => kind === 'bonus' || kind === 'finish_bonus';

/** A file is not shown in the page, executed or cached. */
const fileHeaders = (contentType: string, name: string) => ({
  'content-type': contentType,
  'content-disposition': `attachment; filename="${name}"`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
});

export type StatementModule = {
  /** Starts to make requested files. Call once, after migration. */
  start(): void;
  /** Resolves when a file in progress is made. */
  stop(): Promise<void>;
};

/**
 * Lists the movements of a member's wallet, derived from the ledger. Bank and failure reason of a withdrawal are read
 * from the payout, name and end of an incentive from the incentive. Makes files of a period in the background.
 */
export function statementModule(app: FastifyInstance, options: StatementDeps): StatementModule {
  const { ledger, variant, standby } = options;
  const withSearchLimit = createSearchLimit();
  const describe: ExportDeps['describe'] = (...input) => describeRows(options, ...input);
  const deps: ExportDeps = { ...options, describe };
  let files: ReturnType<typeof startExports> | undefined;

  route(app, listStatement, async ({ member, body, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const on = standby.of(member.id);
    const { page, limit, before: cursor, ...filter } = body;
    const place = { page, limit, before: cursor === undefined ? undefined : BigInt(cursor) };
    const { total, lines, older, next }: FilteredPage = isFiltered(body)
      ? await withSearchLimit(member.id, async () => {
          const request = await ledgerFilter(options, filter, member.currency);
          return ledger.filteredStatement(member.id, { ...request, ...place }, on);
        })
      : await ledger.statement(member.id, place, on);
    const cursors = {
      ...(next !== undefined && { next: String(next) }),
      ...(older && { older: { before: String(older.before), searchedFrom: older.searchedFrom.toISOString() } }),
    };
    return { status: 200, body: { total, statements: await describe(member.id, lines, language, on), ...cursors } };
  });
  route(app, exportStatement, async ({ member, body, idempotencyKey }) => {
    const id = await requestExport(deps, { member, request: body, key: idempotencyKey });
    files?.wake();
    return { status: 202, body: { id } };
  });
  route(app, getStatementExport, async ({ member, params, request }) => {
    const { parts, ...status } = await exportStatus(deps, member, params.id);
    const rewrite = createAddressRewriter(request);
    const links = parts.map(({ url, lines }) => ({ url: rewrite(url), lines }));
    return { status: 200, body: { ...status, url: links[0]?.url ?? null, parts: links } };
  });
  // Opened by the browser, which sends no token: the address itself is the proof.
  app.get<{ Params: { token: string } }>(
    '/api/statement-export/:token',
    { config: { secretParams: ['token'] } },
    async ({ params }, reply) => {
      const file = await openExport(deps, params.token);
      if (!file) throw new Refusal('NO_DATA', { detail: 'NO_FILE' });
      return reply.headers(fileHeaders(file.contentType, file.name)).send(file.content);
    },
  );
  return {
    start: () => {
      files ??= startExports(deps);
    },
    stop: async () => {
      await files?.stop();
      files = undefined;
    },
  };
}

/** Completes rows of the ledger with what other modules know of them. */
async function describeRows(
  { withdraw, incentive }: Pick<StatementDeps, 'withdraw' | 'incentive'>,
  memberId: string,
  rows: readonly StatementRow[],
  language: Language,
  on: Queryable,
): Promise<StatementEntry[]> {
  const referencesOf = (matches: typeof isGrant): string[] => rows.filter(matches).map(({ reference }) => reference);
  const [withdrawals, grants] = [referencesOf(isWithdrawal), referencesOf(isGrant)];
  const outcomes = withdrawals.length > 0 ? await withdraw.payoutOutcomes(memberId, withdrawals, on) : undefined;
  const names = grants.length > 0 ? await incentive.describeGrants(memberId, grants, on) : undefined;
  return rows.map((row) => ({
    ...toWireEntry(row, outcomes?.get(row.reference)),
    ...rewardSource(row, names?.get(row.reference), language),
  }));
}
