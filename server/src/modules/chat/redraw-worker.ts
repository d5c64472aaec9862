import { parentPort } from 'node:worker_threads';
import type { ImageFormat } from '@krapao/contract/input/image';
import { reencodeImage } from './redraw-image.ts';

/** The other side of a pool of workers: a file comes, a drawing goes back. */
parentPort?.on('message', ({ id, input }: { id: number; input: { file: Uint8Array; type: ImageFormat } }) => {
  reencodeImage(input.file, input.type).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
