import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { exportStatement } from '@krapao/contract/endpoints/statement';
import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import { counterpartyOf, EXPORT_DAYS_MAX, type exportFormats } from '@krapao/contract/statement';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import { decodeExactly, type SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/database/database.ts';
import { isTemporary } from '../../platform/database/errors.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { hashRequest, runIdempotent } from '../../platform/idempotency.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { createResolver } from '../../platform/jobs/resolver.ts';
import { createWorkerPool, PoolFull, WorkerDied, type WorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { Clock } from '../../platform/time.ts';
import { type FileContext, statementCsv } from './csv.ts';
import { pdfInput } from './pdf-input.ts';
import type { PdfInput } from './pdf.ts';
import {
  claimDue,
  countRecent,
  deleteExpired,
  deleteParts,
  endExport,
  exportWork,
  failExport,
  findByKey,
  findExport,
  insertExport,
  renewLease,
  selectContent,
  selectPartLines,
  type StatementExport,
  storePart,
} from './export-queries.ts';
import type { GameModule } from '../game/index.ts';
import { phrase } from '../../platform/phrases.ts';
import { eachPart, type ReadPeriodDeps } from './read-period.ts';
import { ledgerFilter } from './search.ts';

const compress = promisify(gzip);
const expand = promisify(gunzip);

type ExportRequest = z.output<NonNullable<(typeof exportStatement)['body']>>;
/** As requested, with the member's currency. */
export type ExportInput = ExportRequest & { currency: Currency };
type Format = (typeof exportFormats)[number];

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
/** Attempts to make a file. */
const TRIES_MAX = 5;
/** Longest time that the reading or one part takes. */
const LEASE_MS = 150_000;
const LINK_SECONDS = 10 * 60;
const DAY_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 10 * 60_000;
const CONTEXT = 'statement-export';

const CONTENT_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' };

/** Time and memory of one part: 20,000 movements take 5 s on an idle core, and 200 MB. */
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

export type ExportStatus = Pick<StatementExport, 'state' | 'lines'> & {
  parts: { url: string; lines: number }[];
  expiresAt: string | null;
};

/** State of a member's file, with a signed address of each part once it is made. @throws {Refusal} NO_DATA */
export async function exportStatus(deps: ExportDeps, member: Member, id: string): Promise<ExportStatus> {
  const found = await findExport(deps.database, member.id, id);
  if (!found) throw new Refusal('NO_DATA');
  const { state, lines, input } = found;
  if (state !== 'DONE' || lines === null) return { state, lines, parts: [], expiresAt: null };
  const expiresAt = Math.floor(deps.clock.now().getTime() / 1000) + LINK_SECONDS;
  const partLines = await selectPartLines(deps.database, id, lines);
  const urlOf = (part: number): string => {
    const text = `${expiresAt} ${input.format} ${id} ${part} ${partLines.length}`;
    return `${deps.publicUrl}/api/statement-export/${deps.secretBox.seal(text, CONTEXT).toString('base64url')}`;
  };
  return {
    state,
    lines,
    parts: partLines.map((count, index) => ({ url: urlOf(index + 1), lines: count })),
    expiresAt: new Date(expiresAt * 1000).toISOString(),
  };
}

/** File of a signed address; undefined if the address expired or is forged, or the file was deleted. */
export async function openExport(
  { database, secretBox, clock }: ExportDeps,
  token: string,
): Promise<{ content: Buffer; contentType: string; name: string } | undefined> {
  const sealed = decodeExactly(token, 'base64url');
  if (!sealed) return undefined;
  let opened: string[];
  try {
    opened = secretBox.open(sealed, CONTEXT).split(' ');
  } catch {
    return undefined;
  }
  // An older program names no part.
  const [expiresAt, format, id, part = '1', parts = '1'] = opened as [string, Format, string, string?, string?];
  if (Number(expiresAt) * 1000 <= clock.now().getTime()) return undefined;
  const content = await selectContent(database, id, Number(part));
  const suffix = parts === '1' ? '' : `-part-${part}-of-${parts}`;
  return content && { content, contentType: CONTENT_TYPES[format], name: `krapao-statement${suffix}.${format}` };
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
    handle: (row) => makeOrFail(deps, printer, row),
    failed: failedWork(database, exportWork),
    keyOf: ({ id }) => id,
    log,
    failureMessage: 'statement file to be made again',
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

/** Makes a file. A final error fails it: the member may request another immediately. */
async function makeOrFail(deps: ExportDeps, printer: Printer, row: StatementExport): Promise<void> {
  try {
    await makeFile(deps, printer, row);
  } catch (error) {
    if (isTemporary(error) || error instanceof PoolFull || error instanceof WorkerDied) throw error;
    deps.log.error({ err: error, id: row.id }, 'statement file failed for good');
    await failExport(deps.database, row.id);
  }
}

async function makeFile(deps: ExportDeps, printer: Printer, row: StatementExport): Promise<void> {
  const { database } = deps;
  const { id, tries } = row;
  if (tries > TRIES_MAX) return failExport(database, id);
  const packed = await packPeriod(deps, row);
  await deleteParts(database, id);
  let [first, lines]: [Buffer | undefined, number] = [undefined, 0];
  for (const [index, part] of packed.entries()) {
    if (!(await renewLease(database, id, LEASE_MS))) return;
    const content = await printPart(printer, row.input, part, { part: index + 1, parts: packed.length });
    if (index === 0) first = content;
    else await storePart(database, id, index + 1, { content, lines: part.lines });
    lines += part.lines;
  }
  return endExport(database, id, { content: first ?? Buffer.alloc(0), lines });
}

type Printer = WorkerPool<PdfInput, Uint8Array>;
/** A part in the form of its file, compressed. */
type PackedPart = { lines: number; packed: Buffer };

/** Reads all of a period in one snapshot, which ends before a PDF is drawn. */
async function packPeriod(deps: ExportDeps, { memberId, input }: StatementExport): Promise<PackedPart[]> {
  const { database, clock, game } = deps;
  const { format, language, currency, ...requested } = input;
  const { from, until } = requested;
  const filter = { ...(await ledgerFilter({ game }, requested, currency)), from, until };
  const nameOf = createNameOf(language, await game.names(language));
  const context: FileContext = { language, currency, nameOf };
  return database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const parts: PackedPart[] = [];
    for await (const part of eachPart(deps, tx, { memberId, language, filter, asOf: clock.now() })) {
      const toPrint =
        format === 'csv'
          ? await statementCsv(part.entries, context)
          : await pdfInput(part, { ...context, from, until });
      parts.push({ lines: part.entries.length, packed: await compress(JSON.stringify(toPrint)) });
    }
    return parts;
  });
}

async function printPart(
  printer: Printer,
  { format, language }: ExportInput,
  { packed }: PackedPart,
  place: { part: number; parts: number },
): Promise<Buffer> {
  const toPrint: unknown = JSON.parse((await expand(packed)).toString());
  if (format === 'csv') return Buffer.from(toPrint as string);
  const pdf = toPrint as Omit<PdfInput, 'createdAt'> & { createdAt: string };
  const partText = place.parts > 1 ? ` · ${phrase(language, 'money', 'export.part', toTexts(place))}` : '';
  const title = `${pdf.title}${partText}`;
  return Buffer.from(await printer.run({ ...pdf, title, createdAt: new Date(pdf.createdAt) }));
}

const toTexts = ({ part, parts }: { part: number; parts: number }) => ({ part: String(part), parts: String(parts) });

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
