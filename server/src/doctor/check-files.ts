import { statSync } from 'node:fs';
import { findUnknownFields, type Outside } from '../outside-config.ts';
import type { Config } from '../platform/config.ts';
import { type EncryptionKeys, readEncryptionKeys } from '../platform/crypto/encryption.ts';
import { UserError } from '../platform/errors.ts';
import type { Clock } from '../platform/time.ts';
import { formatDuration, type Finding, createFindingFactory } from './finding.ts';

const DAY_SECONDS = 86_400;
const KEY_AGE_DAYS = 365;

/** Checks the secrets file: readable, valid, closed to other users of the machine, and not too old. */
export function checkSecrets({ secretsFile }: Config, clock: Clock): Finding[] {
  return checkFile('secrets', secretsFile, () => keyCreatedAt(readEncryptionKeys(secretsFile)), clock);
}

/** Checks the outside file in the same way, and for fields that are misspelled. */
export function checkOutsideFile({ outsideFile }: Config, readOutside: () => Outside, clock: Clock): Finding[] {
  let unknownFields: string[] = [];
  const findings = checkFile(
    'outside file',
    outsideFile,
    () => {
      readOutside();
      unknownFields = findUnknownFields(outsideFile);
    },
    clock,
  );
  if (unknownFields.length === 0) return findings;
  const { warning } = createFindingFactory('outside file');
  return [
    ...findings.filter(({ level }) => level !== 'good'),
    warning(
      `${outsideFile} has unknown fields, which are ignored: ${unknownFields.join(', ')}.`,
      'Compare their spelling with docs/deploy/outside-file.md, or remove them.',
    ),
  ];
}

/** Creation time of the key, if the file states it: a file also changes for other reasons. */
const keyCreatedAt = ({ encryptionKeyMade: createdOn }: EncryptionKeys): Date | undefined =>
  createdOn ? new Date(createdOn) : undefined;

/** @param readKeyTime returns the creation time of the keys in the file; undefined: the modification time counts */
function checkFile(check: string, path: string, readKeyTime: () => Date | undefined | void, clock: Clock): Finding[] {
  const { good, warning, fault } = createFindingFactory(check);
  let createdAt: Date | undefined;
  try {
    createdAt = readKeyTime() ?? undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [fault(error.message, remedyForFailedRead(path, (error.cause as NodeJS.ErrnoException | undefined)?.code))];
  }
  const { mode, mtimeMs } = statSync(path);
  const findings: Finding[] = [];
  if ((mode & 0o077) !== 0) {
    findings.push(
      fault(`${path} can be read by other users (mode ${(mode & 0o777).toString(8)}).`, `chmod 600 ${path}`),
    );
  }
  const ageSeconds = (clock.now().getTime() - (createdAt?.getTime() ?? mtimeMs)) / 1000;
  if (ageSeconds > KEY_AGE_DAYS * DAY_SECONDS) {
    findings.push(
      warning(
        createdAt
          ? `The encryption key of ${path} was made ${formatDuration(ageSeconds)} ago: it is older than a year.`
          : `${path} was last changed ${formatDuration(ageSeconds)} ago: its keys are older than a year.`,
        'Rotate what is in it: docs/deploy/keys.md.',
      ),
    );
  }
  return findings.length > 0 ? findings : [good(`${path} is right and closed to other users.`)];
}

/** @param code error code of the failed read */
function remedyForFailedRead(path: string, code: string | undefined): string {
  if (code === 'EACCES') return `Run this as the user that runs the server, or chown ${path} to that user.`;
  const restoreRemedy = 'put back the copy that belongs to this database (docs/deploy/backup.md#a-single-file).';
  return code === 'ENOENT'
    ? `Do that in a new installation; otherwise ${restoreRemedy}`
    : `If it was damaged, ${restoreRemedy}`;
}

/** Checks the configuration as a whole: combinations that are valid, but not with real money. */
export function checkConfiguration(config: Config, outside: Outside | undefined): Finding[] {
  const { good, warning, fault } = createFindingFactory('configuration');
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
