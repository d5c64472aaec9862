import type { CheckName, CheckRun } from '../platform/check-runs.ts';
import { type Clock, timeOf } from '../platform/time.ts';
import { formatDuration, type Finding, createFindingFactory } from './finding.ts';

/** As the alert rules of deploy/prometheus: a day, and two hours for the run. */
const OLD_SECONDS = 26 * 3_600;

type NightlyCheck = { name: CheckName; found: (wrong: number) => string; wrongPage: string };

const NIGHTLY_CHECKS: readonly NightlyCheck[] = [
  {
    name: 'audit',
    found: (wrong) => `${wrong} checks wrong`,
    wrongPage: 'docs/runbooks/alerts.md#krapaoauditwrong',
  },
  {
    name: 'reconcile',
    found: (wrong) => `${wrong} differences without an explanation`,
    wrongPage: 'docs/runbooks/reconcile.md',
  },
];

/** Checks when the books were last audited and compared with the counterparties, and with what result. */
export function checkBooks(runs: readonly CheckRun[], clock: Clock): Finding[] {
  return NIGHTLY_CHECKS.map((check) => checkRun(check, runs, clock));
}

function checkRun({ name, found, wrongPage }: NightlyCheck, runs: readonly CheckRun[], clock: Clock): Finding {
  const { good, warning, fault } = createFindingFactory(name);
  const remedy = `krapao ${name}, every night: systemctl enable --now krapao-${name}.timer.`;
  const lastRun = runs.find((run) => run.name === name);
  if (!lastRun) return warning(`krapao ${name} never ran on this database: nothing is known of its books.`, remedy);
  const ageSeconds = Math.max(0, (clock.now().getTime() - lastRun.endedAt.getTime()) / 1_000);
  const sentence = `The last krapao ${name} ended ${formatDuration(ageSeconds)} ago and found ${found(lastRun.wrong)}.`;
  if (lastRun.wrong > 0) return fault(sentence, `${wrongPage}; then krapao ${name} again.`);
  return ageSeconds > OLD_SECONDS ? warning(sentence, remedy) : good(sentence);
}

/** A switch; `row` has its last change. */
type Switch = {
  name: string;
  stops: string;
  row: { isStopped: boolean; at: Date; by: string; reason: string } | undefined;
};

/** Lists what operators have stopped: members miss it until it is started again. */
export function checkSwitches(switches: readonly Switch[]): Finding[] {
  const { good, warning } = createFindingFactory('switches');
  const findings = switches.flatMap(({ name, stops, row }) =>
    row?.isStopped
      ? [
          warning(
            `${name} (${stops}) is stopped since ${timeOf(row.at)} by operator:${row.by}: ${row.reason}.`,
            `When the reason is over: krapao switches start ${name} NAME WHY.`,
          ),
        ]
      : [],
  );
  return findings.length > 0 ? findings : [good(`None of ${switches.length} is stopped.`)];
}
