import { parseArgs } from 'node:util';
import {
  createUnexaminedFault,
  CheckTimeout,
  runChecks,
  findSilentPathFault,
  runWithTimeout,
} from '../doctor/check.ts';
import { type Finding, createFindingFactory } from '../doctor/finding.ts';
import { readOutside } from '../outside-config.ts';
import { type Config, type Environment, readConfig, readPaths } from '../platform/config.ts';
import { DatabaseUnavailable } from '../platform/database/errors.ts';
import { UserError } from '../platform/errors.ts';
import { monotonicMs, systemClock } from '../platform/time.ts';
import {
  CALLS_CHECK,
  DATABASE_CHECKS,
  type DatabaseCheckContext,
  INSTALLATION_CHECKS,
  type InstallationContext,
} from './doctor-checks.ts';
import { callerPath } from './document-file.ts';
import { explainedLoss, explainFailure } from './explain-failure.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { type Command, openCommandDatabase } from './run-command.ts';

export const USAGE = 'Write `krapao doctor`: its options are --calls and --metrics FILE.';
const LEVEL_LABELS = { good: 'right  ', warning: 'WARNING', fault: 'FAULT  ' } as const;
/** Together below 30 s, with the start of the process and of the processes that open paths. */
const LIMITS_MS = { check: 6_000, statement: 5_000, open: 6_000, database: 11_000, close: 1_000 };
const RUNBOOK = 'docs/runbooks/database.md';

type Report = (findings: readonly Finding[]) => void;

export const doctor: Command = async (args, { environment, print }) => {
  const { metricsFile, calls } = optionsOf(args, environment);
  const counts = { good: 0, warning: 0, fault: 0 };
  // Printed as they come: what is known must be on the screen if the machine fails next.
  await examine(environment, { calls }, (findings) => {
    for (const finding of findings) {
      counts[finding.level] += 1;
      print(`${LEVEL_LABELS[finding.level]}  ${finding.check}: ${finding.sentence}\n`);
      if (finding.level !== 'good') print(`         → ${finding.remedy}\n`);
    }
  });
  const total = counts.good + counts.warning + counts.fault;
  print(`${total} findings, ${counts.fault} faults, ${counts.warning} warnings\n`);
  writeGauges(metricsFile, 'doctor', {
    faults: counts.fault,
    warnings: counts.warning,
    timestamp_seconds: secondsOf(systemClock.now()),
  });
  return counts.fault > 0 ? 1 : 0;
};

/** @throws {UserError} an unknown option or an argument */
function optionsOf(
  args: readonly string[],
  environment: Environment,
): { metricsFile: string | undefined; calls: boolean } {
  try {
    const options = { metrics: { type: 'string' }, calls: { type: 'boolean' } } as const;
    const { metrics, calls = false } = parseArgs({ args: [...args], options }).values;
    return { metricsFile: metrics === undefined ? undefined : callerPath(environment, metrics), calls };
  } catch {
    throw new UserError(USAGE);
  }
}

/** @param options.calls whether counterparties are called */
async function examine(environment: Environment, { calls }: { calls: boolean }, report: Report): Promise<void> {
  const { config, database, faults } = readSettings(environment);
  report(faults);
  const context: InstallationContext = {
    config,
    clock: systemClock,
    isConfigured: faults.length === 0,
    readOutside: () => readOutside(config.outsideFile, config.publicUrl),
  };
  const installationChecks = calls ? [...INSTALLATION_CHECKS, CALLS_CHECK] : INSTALLATION_CHECKS;
  const silentPaths = await runChecks(installationChecks, context, { timeoutMs: LIMITS_MS.check, report });
  if (!database) return;
  if (database.databaseUrl === undefined && silentPaths.has(database.dataDirectory)) {
    report([createDatabaseFault(`The data folder ${database.dataDirectory} does not reply.`)]);
  } else await examineDatabase({ ...context, config: database, silentPaths }, report);
}

/** The settings; with invalid ones only paths and, unless its URL is invalid, the database. */
function readSettings(environment: Environment): { config: Config; database: Config | undefined; faults: Finding[] } {
  const { fault } = createFindingFactory('configuration');
  try {
    const config = readConfig(environment);
    return { config, database: config, faults: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const faults = error.message.split('\n').map((line) => fault(line, 'docs/deploy/settings.md lists every setting.'));
    const { files, database } = readPaths(environment);
    return { config: files, database, faults };
  }
}

type ReachableContext = Omit<DatabaseCheckContext, 'database'>;

async function examineDatabase(context: ReachableContext, report: Report): Promise<void> {
  const deadlineMs = monotonicMs() + LIMITS_MS.database;
  const { config } = context;
  let isClosed = false;
  try {
    const opening = openCommandDatabase(config, { statementTimeoutMs: LIMITS_MS.statement });
    // One that opens after its deadline is closed again.
    void opening.then(({ stop }) => (isClosed ? stop() : undefined)).catch(() => {});
    const { database, stop } = await runWithTimeout(LIMITS_MS.open, () => opening);
    await runDatabaseChecks({ ...context, database }, deadlineMs, report);
    // A frozen server never closes its connection.
    await runWithTimeout(LIMITS_MS.close, stop).catch(() => {});
  } catch (error) {
    isClosed = true;
    report([explainOpenFailure(error, config)]);
  }
}

function explainOpenFailure(error: unknown, config: Config): Finding {
  return createDatabaseFault(error instanceof CheckTimeout ? explainSilence(config) : explainFailure(error));
}

const createDatabaseFault = (sentence: string): Finding => createFindingFactory('database').fault(sentence, RUNBOOK);

function explainSilence(config: Config): string {
  return explainFailure(
    explainedLoss(new DatabaseUnavailable('the database does not answer', { isLost: true, isSilent: true }), config),
  );
}

/** In turn: a database that is lost in one check ends the rest. */
async function runDatabaseChecks(context: DatabaseCheckContext, deadlineMs: number, report: Report): Promise<void> {
  for (const [index, check] of DATABASE_CHECKS.entries()) {
    const unreadable = findSilentPathFault(check, context, context.silentPaths);
    if (unreadable) {
      report([unreadable]);
      continue;
    }
    const timeoutMs = Math.min(LIMITS_MS.statement + 1_000, deadlineMs - monotonicMs());
    try {
      report(await runWithTimeout(timeoutMs, async () => check.run(context)));
    } catch (error) {
      const isSilent = error instanceof CheckTimeout;
      if (!isSilent && !(error instanceof DatabaseUnavailable && error.isLost)) {
        report([createUnexaminedFault(check.name, explainedLoss(error, context.config), RUNBOOK)]);
        continue;
      }
      const names = DATABASE_CHECKS.slice(index).map(({ name }) => name);
      const loss = isSilent ? explainSilence(context.config) : explainFailure(explainedLoss(error, context.config));
      report([createDatabaseFault(`${loss} Not examined: ${names.join(', ')}.`)]);
      return;
    }
  }
}
