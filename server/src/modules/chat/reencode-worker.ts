import { parentPort } from 'node:worker_threads';
import type { ImageFormat } from '@krapao/contract/input/image';
import { reencodeImage } from './reencode-image.ts';

/** Worker thread of the image pool: receives a file, returns the re-encoded image. */
parentPort?.on('message', ({ id, input }: { id: number; input: { file: Uint8Array; type: ImageFormat } }) => {
  reencodeImage(input.file, input.type).then(
    (output) => parentPort?.postMessage({ id, output }),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }),
  );
});
