import { parentPort } from 'node:worker_threads';
import { type PdfInput, statementPdf } from './pdf.ts';

/** Worker thread that makes a PDF: receives a {@link PdfInput}, returns its bytes. */
parentPort?.on('message', ({ id, input }: { id: number; input: PdfInput }) => {
  statementPdf(input).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
