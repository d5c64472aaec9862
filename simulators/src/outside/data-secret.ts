import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BYTES = 32;

/**
 * The secret of a data folder, generated with the folder: values derived from it need not be stored in the database.
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
