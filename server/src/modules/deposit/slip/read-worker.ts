import { parentPort } from 'node:worker_threads';
import { readImage } from './read-image.ts';

/** The other side of a pool of workers: a file comes, a reading goes back. */
parentPort?.on('message', ({ id, input }: { id: number; input: Uint8Array }) => {
  readImage(input).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
