import { existsSync, statfsSync, statSync } from 'node:fs';
import type { Outside } from '../outside-config.ts';
import { type EncryptionKeys, readEncryptionKeys } from '../platform/crypto/encryption.ts';
import type { Clock } from '../platform/time.ts';
import type { Config } from '../platform/config.ts';
import { UserError } from '../platform/errors.ts';
import { duration, type Finding, findingsOf, size } from './finding.ts';

const DAY_SECONDS = 86_400;
const KEY_AGE_DAYS = 365;
const DISK_FAULT_BYTES = 1024 ** 3;
const DISK_WARNING_SHARE = 0.1;

/** The secrets file and the outside file: readable, right, closed to other users of the machine, and not too old. */
export function checkFiles(config: Config, readOutside: () => Outside, clock: Clock): Finding[] {
  return [
    ...checkFile('secrets', config.secretsFile, () => madeAt(readEncryptionKeys(config.secretsFile)), clock),
    ...checkFile('outside file', config.outsideFile, () => void readOutside(), clock),
  ];
}

/** When the key was made, where the file says so: a file is also changed for other reasons. */
const madeAt = ({ encryptionKeyMade: made }: EncryptionKeys): Date | undefined => (made ? new Date(made) : undefined);

/** @param read returns when the keys of the file were made; undefined: when it was last changed */
function checkFile(check: string, path: string, read: () => Date | undefined | void, clock: Clock): Finding[] {
  const { good, warning, fault } = findingsOf(check);
  let made: Date | undefined;
  try {
    made = read() ?? undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [fault(error.message, remedyOf(path, (error.cause as NodeJS.ErrnoException | undefined)?.code))];
  }
  const { mode, mtimeMs } = statSync(path);
  const findings: Finding[] = [];
  if ((mode & 0o077) !== 0) {
    findings.push(
      fault(`${path} can be read by other users (mode ${(mode & 0o777).toString(8)}).`, `chmod 600 ${path}`),
    );
  }
  const ageSeconds = (clock.now().getTime() - (made?.getTime() ?? mtimeMs)) / 1000;
  if (ageSeconds > KEY_AGE_DAYS * DAY_SECONDS) {
    findings.push(
      warning(
        made
          ? `The encryption key of ${path} was made ${duration(ageSeconds)} ago: it is older than a year.`
          : `${path} was last changed ${duration(ageSeconds)} ago: its keys are older than a year.`,
        'Rotate what is in it: docs/deploy/keys.md.',
      ),
    );
  }
  return findings.length > 0 ? findings : [good(`${path} is right and closed to other users.`)];
}

/** @param code of the error with which reading the file failed */
function remedyOf(path: string, code: string | undefined): string {
  if (code === 'EACCES') return `Run this as the user that runs the server, or chown ${path} to that user.`;
  const copy = 'put back the copy that belongs to this database (docs/deploy/backup.md).';
  return code === 'ENOENT' ? `Do that in a new installation; otherwise ${copy}` : `If it was damaged, ${copy}`;
}

/** The configuration as a whole: what is allowed, but not with real money. */
export function checkConfiguration(config: Config, outside: Outside | undefined): Finding[] {
  const { good, warning, fault } = findingsOf('configuration');
  const findings: Finding[] = [];
  if (config.simulators && config.databaseUrl !== undefined) {
    findings.push(
      warning(
        'SIMULATORS is on: every counterparty is simulated, and its page obeys every caller.',
        'Set SIMULATORS=off and OUTSIDE_FILE before real money is handled.',
      ),
    );
  }
  if (!config.simulators && outside && outside.followHost.length > 0) {
    findings.push(
      fault(
        'The outside file has followHost: addresses follow the Host header of the caller, which is not trustworthy.',
        'Remove followHost from the outside file.',
      ),
    );
  }
  if (config.databaseUrl !== undefined && config.objectStorage.kind === 'files') {
    findings.push(
      warning(
        'Slips and chat files are kept in DATA_DIR of this node alone.',
        'Set S3_BUCKET before a second node shares the database.',
      ),
    );
  }
  return findings.length > 0 ? findings : [good('Every setting has an allowed value.')];
}

/** Free space of the data folder: WAL, log and files of members grow there. */
export function checkDisk(directory: string): Finding {
  const { good, warning, fault } = findingsOf('disk');
  const remedy = 'Free some space, or set DATA_DIR to a folder on a larger disk.';
  if (!existsSync(directory))
    return fault(`${directory} does not exist.`, 'Make it, or set DATA_DIR to another folder.');
  const { bavail, blocks, bsize } = statfsSync(directory);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const sentence = `${directory} has ${size(free)} of ${size(all)} free.`;
  if (free < DISK_FAULT_BYTES) return fault(sentence, remedy);
  if (free < all * DISK_WARNING_SHARE) return warning(sentence, remedy);
  return good(sentence);
}
