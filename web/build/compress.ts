import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

const TEXT_FILES = /\.(html|js|css|svg|json|webmanifest)$/;
/** Minimum file size for compression; smaller files would save less than the additional headers. */
const COMPRESSED_BYTES_MIN = 512;

/** Writes a `.br` and a `.gz` copy of each text file, at the highest compression level. */
export async function compress(dist: string): Promise<void> {
  const names = await readdir(dist, { recursive: true });
  for (const name of names.filter((file) => TEXT_FILES.test(file) && !file.includes('.vite'))) {
    const text = await readFile(join(dist, name));
    if (text.length < COMPRESSED_BYTES_MIN) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    await writeFile(join(dist, `${name}.br`), await brotliAsync(text, { params }));
    await writeFile(join(dist, `${name}.gz`), await gzipAsync(text, { level: 9 }));
  }
}
