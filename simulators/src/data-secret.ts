import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * The secret of a data folder, made when the folder is new: what is derived from it needn't be stored beside the books.
 * @param dataDir folder of `simulators.secret`, or `:memory:`
 */
export function dataSecret(dataDir: string): Buffer {
  const fresh = randomBytes(BYTES);
  if (dataDir === ':memory:') return fresh;
  const path = join(dataDir, 'simulators.secret');
  if (existsSync(path)) return readFileSync(path);
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, fresh, { mode: 0o600 });
  renameSync(unfinished, path);
  return fresh;
}
