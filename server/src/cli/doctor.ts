import { checkConfiguration, checkDisk, checkFiles } from '../doctor/check-files.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkEncryption, checkFeeds, checkQueues, type Finding, findingsOf } from '../doctor/finding.ts';
import { checkTls } from '../doctor/check-tls.ts';
import { selectOpenLines, selectUnreadFeeds } from '../modules/deposit/bank-transfer/index.ts';
import { examineGoLive } from '../go-live.ts';
import { queues, sealedColumns } from '../inventory.ts';
import { type Outside, readOutside } from '../outside-config.ts';
import { systemClock } from '../platform/time.ts';
import { type Config, type Environment, readConfig, readPaths } from '../platform/config.ts';
import { readEncryptionKeys } from '../platform/crypto/encryption.ts';
import { type Command, openCommandDatabase } from './run-command.ts';
import { UserError } from '../platform/errors.ts';
import { explainDatabaseFailure } from '../platform/start/startup-errors.ts';

const LEVEL_LABELS = { good: 'right  ', warning: 'WARNING', fault: 'FAULT  ' } as const;

export const doctor: Command = async (args, { environment, print }) => {
  if (args.length > 0) throw new UserError('Write `krapao doctor`: it has no options.');
  const findings = await examine(environment);
  for (const finding of findings) {
    print(`${LEVEL_LABELS[finding.level]}  ${finding.check}: ${finding.sentence}\n`);
    if (finding.level !== 'good') print(`         → ${finding.remedy}\n`);
  }
  const countOfLevel = (level: Finding['level']): number =>
    findings.filter((finding) => finding.level === level).length;
  print(`${findings.length} findings, ${countOfLevel('fault')} faults, ${countOfLevel('warning')} warnings\n`);
  return countOfLevel('fault') > 0 ? 1 : 0;
};

async function examine(environment: Environment): Promise<Finding[]> {
  const { fault } = findingsOf('configuration');
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const faults = error.message.split('\n').map((line) => fault(line, 'docs/deploy/settings.md lists every setting.'));
    return [...faults, ...(await examineInstallation(environment))];
  }
  return examineAll(config);
}

async function examineAll(config: Config): Promise<Finding[]> {
  const read = readerOf(config);
  const outside = undefinedOnError(read);
  return [
    ...checkConfiguration(config, outside),
    ...checkFiles(config, read, systemClock),
    checkDisk(config.dataDirectory),
    ...(outside && !config.simulators ? await checkTls(outside, systemClock) : []),
    ...(await examineDatabase(config, config.simulators ? undefined : outside)),
  ];
}

/** Checks of an installation with invalid settings: files, disk and, unless its URL is invalid, the database. */
async function examineInstallation(environment: Environment): Promise<Finding[]> {
  const { files, database } = readPaths(environment);
  return [
    ...checkFiles(files, readerOf(files), systemClock),
    checkDisk(files.dataDirectory),
    ...(database ? await examineDatabase(database) : []),
  ];
}

function readerOf({ outsideFile, publicUrl }: Config): () => Outside {
  return () => readOutside(outsideFile, publicUrl);
}

/** @param outside the outside file of an installation with real counterparties */
async function examineDatabase(config: Config, outside?: Outside): Promise<Finding[]> {
  const { fault } = findingsOf('database');
  const keys = undefinedOnError(() => readEncryptionKeys(config.secretsFile));
  try {
    const { database, stop } = await openCommandDatabase(config);
    try {
      return [
        ...(await checkDatabase(database, systemClock, config.databaseUrl === undefined)),
        ...(await checkQueues(database, queues)),
        ...checkFeeds(await selectUnreadFeeds(database), (await selectOpenLines(database)).length),
        ...(outside ? await examineGoLive(database, outside, systemClock) : []),
        ...(keys ? await checkEncryption(database, keys, sealedColumns) : []),
      ];
    } finally {
      await stop();
    }
  } catch (error) {
    const sentence = error instanceof UserError ? error.message : explainDatabaseFailure(error);
    if (sentence === undefined) throw error;
    return [fault(sentence, 'docs/runbooks/database.md')];
  }
}

/** Undefined when a file is invalid; its own check reports it. */
function undefinedOnError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
