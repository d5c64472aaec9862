import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type PdfInput, statementPdf } from './pdf.ts';

// On Linux this concerns the calling thread: requests are served first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Worker thread that makes a PDF: receives a {@link PdfInput}, returns its bytes. */
parentPort?.on('message', ({ id, input }: { id: number; input: PdfInput }) => {
  statementPdf(input).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
