import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const br = promisify(brotliCompress);
const gz = promisify(gzip);

const TEXT = /\.(html|js|css|svg|json|webmanifest)$/;
/** Below this, compression saves less than its headers. */
const BYTES_MIN = 512;

/** Writes `.br` and `.gz` beside every text file at the highest level. */
export async function compress(dist: string): Promise<void> {
  const names = await readdir(dist, { recursive: true });
  for (const name of names.filter((file) => TEXT.test(file) && !file.includes('.vite'))) {
    const text = await readFile(join(dist, name));
    if (text.length < BYTES_MIN) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    await writeFile(join(dist, `${name}.br`), await br(text, { params }));
    await writeFile(join(dist, `${name}.gz`), await gz(text, { level: 9 }));
  }
}
