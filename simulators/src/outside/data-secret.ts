import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SECRET_BYTES = 32;

/**
 * The secret of a data folder, generated with the folder. Values derived from it need not be stored in the database.
 * @param dataDir folder of `simulators.secret`, or `:memory:`
 */
export function dataSecret(dataDir: string): Buffer {
  const newSecret = randomBytes(SECRET_BYTES);
  if (dataDir === ':memory:') return newSecret;
  const path = join(dataDir, 'simulators.secret');
  if (existsSync(path)) return readFileSync(path);
  const temporaryPath = `${path}.new`;
  writeFileSync(temporaryPath, newSecret, { mode: 0o600 });
  renameSync(temporaryPath, path);
  return newSecret;
}
