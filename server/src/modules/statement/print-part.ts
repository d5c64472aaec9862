import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createWorkerPool, type WorkerPool } from '../../platform/jobs/worker-pool.ts';
import { phrase } from '../../platform/phrases.ts';
import type { PackedPart } from './pack-period.ts';
import type { PdfInput } from './pdf.ts';
import type { ExportInput } from './request-export.ts';

const expand = promisify(gunzip);

/** Time and memory of one part: 20,000 movements take 5 s on an idle core, and 200 MB. */
const PDF_TIMEOUT_MS = 120_000;
const PDF_HEAP_MB = 512;
const PDF_QUEUE_MAX = 4;

export type Printer = WorkerPool<PdfInput, Uint8Array>;

/** Draws PDFs in a worker thread. */
export const createPrinter = (): Printer =>
  createWorkerPool<PdfInput, Uint8Array>({
    program: new URL('./pdf-worker.ts', import.meta.url),
    size: 1,
    queueMax: PDF_QUEUE_MAX,
    timeoutMs: PDF_TIMEOUT_MS,
    heapMb: PDF_HEAP_MB,
    isSingleUse: true,
  });

/** Content of the file of one part. */
export async function printPart(
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
