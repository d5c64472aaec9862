import type { exportStatement } from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import { type Currency, type Minor, minor } from '@krapao/contract/money';
import { counterpartyOf, EXPORT_DAYS_MAX, EXPORT_LINES_MAX, type exportFormats } from '@krapao/contract/statement';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Ledger, StatementRow } from '../../ledger/index.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { createResolver } from '../../platform/jobs/resolver.ts';
import { createWorkerPool, type WorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { Clock } from '../../platform/time.ts';
import { type FileContext, minorUnits, statementCsv } from './csv.ts';
import { pdfInput } from './pdf-input.ts';
import type { PdfInput } from './pdf.ts';
import {
  claimDue,
  countRecent,
  deleteExpired,
  endExport,
  exportWork,
  failExport,
  findByKey,
  findExport,
  insertExport,
  selectContent,
  type StatementExport,
} from './export-queries.ts';
import { findMember } from '../account/index.ts';
import type { GameModule } from '../game/index.ts';
import { phrase } from '../../platform/phrases.ts';
import { ledgerFilter } from './search.ts';
import type { StatementEntry } from './statement.ts';

type ExportRequest = z.output<NonNullable<(typeof exportStatement)['body']>>;
/** As requested, with the member's currency. */
export type ExportInput = ExportRequest & { currency: Currency };
type Format = (typeof exportFormats)[number];

export type ExportDeps = {
  ledger: Pick<Ledger, 'filteredStatement' | 'balances'>;
  database: Database;
  clock: Clock;
  log: FastifyBaseLogger;
  secretBox: SecretBox;
  /** Base of addresses in replies, without a final slash. */
  publicUrl: string;
  /** Completes rows of the ledger with what other modules know of them. */
  describe: (
    memberId: string,
    rows: readonly StatementRow[],
    language: Language,
    on: Queryable,
  ) => Promise<StatementEntry[]>;
  game: Pick<GameModule, 'names' | 'search'>;
};

/** Files of one member within a day. */
const DAILY_MAX = 10;
/** Attempts to make a file. */
const TRIES_MAX = 5;
/** Longest time that one file takes. */
const LEASE_MS = 150_000;
/** Entries that are read for one file: a movement has two at most. */
const ENTRIES_MAX = 2 * EXPORT_LINES_MAX + 2;
const LINK_SECONDS = 10 * 60;
const DAY_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 10 * 60_000;
const CONTEXT = 'statement-export';

const CONTENT_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' };

/** Time and memory of one PDF: 20,000 movements take 5 s on an idle core, and 200 MB. */
const PDF_TIMEOUT_MS = 120_000;
const PDF_HEAP_MB = 512;
const PDF_QUEUE_MAX = 4;

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

export type ExportStatus = Pick<StatementExport, 'state' | 'lines' | 'reason'> & {
  url: string | null;
  expiresAt: string | null;
};

/** State of a member's file, with a signed address once it is made. @throws {Refusal} NO_DATA */
export async function exportStatus(deps: ExportDeps, member: Member, id: string): Promise<ExportStatus> {
  const found = await findExport(deps.database, member.id, id);
  if (!found) throw new Refusal('NO_DATA');
  const { state, lines, reason, input } = found;
  if (state !== 'DONE') return { state, lines, reason, url: null, expiresAt: null };
  const expiresAt = Math.floor(deps.clock.now().getTime() / 1000) + LINK_SECONDS;
  const token = deps.secretBox.seal(`${expiresAt} ${input.format} ${id}`, CONTEXT).toString('base64url');
  return {
    state,
    lines,
    reason,
    url: `${deps.publicUrl}/api/statement-export/${token}`,
    expiresAt: new Date(expiresAt * 1000).toISOString(),
  };
}

/** File of a signed address; undefined if the address expired or is forged, or the file was deleted. */
export async function openExport(
  { database, secretBox, clock }: ExportDeps,
  token: string,
): Promise<{ content: Buffer; contentType: string; name: string } | undefined> {
  let opened: string[];
  try {
    opened = secretBox.open(Buffer.from(token, 'base64url'), CONTEXT).split(' ');
  } catch {
    return undefined;
  }
  const [expiresAt, format, id] = opened as [string, Format, string];
  if (Number(expiresAt) * 1000 <= clock.now().getTime()) return undefined;
  const content = await selectContent(database, id);
  return content && { content, contentType: CONTENT_TYPES[format], name: `krapao-statement.${format}` };
}

/** Makes the requested files, and deletes old ones. */
export function startExports(deps: ExportDeps): Pick<Job, 'wake' | 'stop'> {
  const { database, log } = deps;
  const resolver = createResolver();
  const printer = createWorkerPool<PdfInput, Uint8Array>({
    program: new URL('./pdf-worker.ts', import.meta.url),
    size: 1,
    queueMax: PDF_QUEUE_MAX,
    timeoutMs: PDF_TIMEOUT_MS,
    heapMb: PDF_HEAP_MB,
    isSingleUse: true,
  });
  resolver.start({
    name: 'make statement files',
    concurrency: 1,
    claim: (limit) => claimDue(database, limit, LEASE_MS),
    handle: (row) => makeFile(deps, printer, row),
    failed: failedWork(database, exportWork),
    keyOf: ({ id }) => id,
    log,
    failureMessage: 'a statement file could not be made',
    logFields: ({ id }) => ({ id }),
  });
  const sweep = (): Promise<void> => deleteExpired(database);
  const sweeper = startPeriodicJob({ name: 'delete statement files', everyMs: SWEEP_EVERY_MS, run: sweep, log });
  return {
    wake: resolver.wake,
    stop: async () => {
      await Promise.all([resolver.stop(), sweeper.stop()]);
      await printer.close();
    },
  };
}

async function makeFile(
  deps: ExportDeps,
  printer: WorkerPool<PdfInput, Uint8Array>,
  { id, memberId, input, tries }: StatementExport,
): Promise<void> {
  const { database, game } = deps;
  if (tries > TRIES_MAX) return failExport(database, id, null);
  const { format, language, currency } = input;
  const period = await readPeriod(deps, memberId, input);
  if (!period) return failExport(database, id, 'TOO_MANY_LINES');
  const context: FileContext = { language, currency, nameOf: createNameOf(language, await game.names(language)) };
  const content =
    format === 'csv'
      ? await statementCsv(period.entries, context)
      : Buffer.from(await printer.run(await pdfInput(period, { ...context, from: input.from, until: input.until })));
  return endExport(database, id, { content, lines: period.entries.length });
}

const ACCOUNT_PHRASES: ReadonlyMap<string, readonly [namespace: 'money' | 'parts', key: string]> = new Map([
  ['WALLET', ['money', 'wallet']],
  ['WALLET_APP', ['money', 'walletApp']],
  ['BANK', ['money', 'bank']],
  ['BONUS', ['parts', 'condition.kind.BONUS']],
  ['PROMOTION', ['parts', 'condition.kind.PROMOTION']],
  ['REFUND', ['parts', 'condition.kind.REFUND']],
  ['INVITE', ['parts', 'condition.kind.INVITE']],
  ['LUCKYDRAW', ['money', 'export.wheel']],
]);

/** Returns a function that names an account by its phrase, bank code or game, or else by its own code. */
const createNameOf =
  (language: Language, games: ReadonlyMap<string, string>) =>
  (account: string): string => {
    const accountPhrase = ACCOUNT_PHRASES.get(account);
    if (accountPhrase) return phrase(language, ...accountPhrase);
    const counterparty = counterpartyOf(account);
    if (counterparty.kind === 'bank' && counterparty.bank) return counterparty.bank;
    return games.get(account) ?? account;
  };

/** A movement in a file. */
export type ExportedEntry = Omit<StatementEntry, 'balance'> & {
  /**
   * Free money after the movement. Without a filter it is the opening balance plus all amounts so far. Null for a
   * failed movement in a filtered file.
   */
  balance: Minor | null;
};

/** Movements of a period, oldest first. */
export type ExportedPeriod = {
  entries: readonly ExportedEntry[];
  /** Undefined when the account is deleted. */
  holder: { name: string; memberCode: string } | undefined;
  /** Free money at the start and at the end; undefined if a filter or the limit leaves movements out. */
  balances: { opening: bigint; closing: bigint } | undefined;
  /** The moment that all figures show. */
  asOf: Date;
};

/** Reads all of a file in one snapshot. @returns undefined if there are too many movements for one file */
async function readPeriod(
  { database, ledger, describe, clock, game }: ExportDeps,
  memberId: string,
  { format: _format, language, currency, ...requested }: ExportInput,
): Promise<ExportedPeriod | undefined> {
  const filter = await ledgerFilter({ game }, requested, currency);
  return database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const all = { page: 1, limit: EXPORT_LINES_MAX + 1, entriesMax: ENTRIES_MAX };
    const { lines, searchedFrom } = await ledger.filteredStatement(memberId, { ...filter, ...all }, tx);
    if (lines.length > EXPORT_LINES_MAX || searchedFrom) return undefined;
    const described = (await describe(memberId, lines, language, tx)).toReversed();
    const { types, game: gameCode, status, reference, search, until } = filter;
    const isWhole = [types, gameCode, status, reference, search].every((restriction) => restriction === undefined);
    const later = isWhole ? await ledger.filteredStatement(memberId, { ...all, from: until }, tx) : undefined;
    const free = (await ledger.balances(memberId, tx)).find(({ kind }) => kind === 'WALLET')?.free ?? 0n;
    const isAllOfLater = later && !later.searchedFrom && later.lines.length === later.total;
    const closing = isAllOfLater ? free - sum(later.lines) : undefined;
    const balances = closing === undefined ? undefined : { opening: closing - sum(lines), closing };
    const entries = withBalances(described, balances?.opening);
    return { entries, holder: await findMember(tx, memberId), balances, asOf: clock.now() };
  });
}

function withBalances(entries: readonly StatementEntry[], opening: bigint | undefined): ExportedEntry[] {
  let total = opening;
  return entries.map((entry) => {
    if (total === undefined) return { ...entry, balance: entry.status === 'FAILED' ? null : minorUnits(entry.balance) };
    total += minorUnits(entry.amount);
    return { ...entry, balance: minor(total) };
  });
}

const sum = (rows: readonly StatementRow[]): bigint => rows.reduce((total, { amount }) => total + amount, 0n);
