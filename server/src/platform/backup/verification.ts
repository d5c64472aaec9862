import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from '../json.ts';

/** Outcome of the last verification, in the folder of backups: it is known without a database, and on one machine. */
const verification = z.object({
  /** End of the verification. */
  at: z.iso.datetime(),
  /** Name of the backup; omitted: there was none. */
  backup: z.string().optional(),
  /** Checks that failed, or 1 if it could not be restored. */
  wrong: z.int().min(0),
});
export type Verification = z.output<typeof verification>;

const VERIFICATION_FILE = 'last-verification.json';

/** @throws {Error} a failed write */
export function recordVerification(folder: string, outcome: Verification): void {
  const path = join(folder, VERIFICATION_FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(outcome, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The last verification; undefined: there was none. @throws {UserError} the file can't be read or is damaged */
export function readVerification(folder: string): Verification | undefined {
  return existsSync(join(folder, VERIFICATION_FILE))
    ? readJsonFile(join(folder, VERIFICATION_FILE), verification)
    : undefined;
}
