import {
  exportStatement,
  getStatementExport,
  listStatement,
  statementFilter,
} from '@krapao/contract/endpoints/statement';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { FilteredPage, Ledger } from '../../ledger/index.ts';
import type { StandbyReads } from '../../platform/database/standby.ts';
import { Refusal } from '../../platform/errors.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import { exportStatus, openExport } from './export-link.ts';
import { type ExportDeps, requestExport } from './request-export.ts';
import { ledgerFilter } from './search.ts';

export type StatementRouteDeps = ExportDeps & {
  ledger: Pick<Ledger, 'statement' | 'filteredStatement'>;
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

/** A file is not shown in the page, executed or cached. */
const fileHeaders = (contentType: string, name: string) => ({
  'content-type': contentType,
  'content-disposition': `attachment; filename="${name}"`,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
});

/** Registers the endpoints of the statement. @param wakeWriter starts to write a requested file immediately */
export function statementRoutes(app: FastifyInstance, deps: StatementRouteDeps, wakeWriter: () => void): void {
  const { ledger, variant, standby } = deps;
  const withSearchLimit = createSearchLimit();
  route(app, listStatement, async ({ member, body, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const on = standby.of(member.id);
    const { page, limit, before: cursor, ...filter } = body;
    const place = { page, limit, before: cursor === undefined ? undefined : BigInt(cursor) };
    const { total, lines, older, next }: FilteredPage = isFiltered(body)
      ? await withSearchLimit(member.id, async () => {
          const query = await ledgerFilter(deps, filter, member.currency);
          return ledger.filteredStatement(member.id, { ...query, ...place }, on);
        })
      : await ledger.statement(member.id, place, on);
    const cursors = {
      ...(next !== undefined && { next: String(next) }),
      ...(older && { older: { before: String(older.before), searchedFrom: older.searchedFrom.toISOString() } }),
    };
    return {
      status: 200,
      body: { total, statements: await deps.describe(member.id, lines, language, on), ...cursors },
    };
  });
  route(app, exportStatement, async ({ member, body, idempotencyKey }) => {
    const id = await requestExport(deps, { member, request: body, key: idempotencyKey });
    wakeWriter();
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
}
