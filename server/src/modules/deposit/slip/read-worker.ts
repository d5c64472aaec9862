import { parentPort } from 'node:worker_threads';
import { readImage } from './read-image.ts';

/** Worker thread of the reader pool: receives a file, returns an {@link ImageReading}. */
parentPort?.on('message', ({ id, input }: { id: number; input: Uint8Array }) => {
  readImage(input).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
