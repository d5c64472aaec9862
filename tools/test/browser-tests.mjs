import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { beginBeside, runNode } from './tool.mjs';

const E2E_FOLDER = join(ROOT, 'e2e');
const REPORTS_FOLDER = join(ROOT, 'reports');
const PLAYWRIGHT_PATH = join(ROOT, 'node_modules/.bin/playwright');

/** Maximum journeys (about 1 %) that may fail once and pass when repeated. With more, the run is not reliable. */
export const UNSTEADY_MAX = 6;

/**
 * Runs projects of e2e/playwright.config.ts on one new system; the report is reports/STAGE.json.
 * @returns number of passed journeys, number that failed without a repetition, and failed journeys that may be repeated
 */
export async function runBrowserTests(stage, projects, place) {
  return runPlaywright(stage, projects.map(optionOf), place);
}

/** Runs the journeys of some files (paths below e2e), like `runBrowserTests`. */
export async function runJourneyFiles(stage, project, files) {
  return runPlaywright(stage, [optionOf(project), ...files]);
}

/**
 * Runs `runBrowserTests` concurrently with another stage; its output goes to reports/STAGE.log.
 * @returns a function that waits for the end, prints the output, and returns the result
 */
export const beginBrowserTests = (stage, projects) =>
  beginBeside(join(REPORTS_FOLDER, `${stage}.log`), (output) =>
    runPlaywright(stage, projects.map(optionOf), { output }),
  );

const optionOf = (project) => `--project=${project}`;

/**
 * Repeats failed journeys, one at a time, on a new system; the report is reports/unsteady.json. More than UNSTEADY_MAX
 * are not repeated and count as failed.
 * @param journeys failed journeys of the journey stages
 * @returns the journeys that passed now, and those that failed twice
 */
export async function runAgain(journeys, place) {
  if (journeys.length > UNSTEADY_MAX) return { unsteady: [], failed: journeys };
  const folder = mkdtempSync(join(tmpdir(), 'krapao-again-'));
  const list = join(folder, 'journeys.txt');
  writeFileSync(list, journeys.map(lineOf).join('\n'));
  const { journeys: rerunJourneys } = await runPlaywright('unsteady', ['--workers=1', `--test-list=${list}`], place);
  rmSync(folder, { recursive: true });
  const passedLines = new Set(rerunJourneys.filter(({ status }) => status === 'expected').map(lineOf));
  return {
    unsteady: journeys.filter((journey) => passedLines.has(lineOf(journey))),
    failed: journeys.filter((journey) => !passedLines.has(lineOf(journey))),
  };
}

/** A journey in the syntax of Playwright's `--test-list`. */
export const lineOf = ({ project, file, titles }) => [`[${project}]`, file, ...titles].join(' › ');

async function runPlaywright(stage, playwrightArgs, { cwd = E2E_FOLDER, reports = REPORTS_FOLDER, output } = {}) {
  const reportPath = join(reports, `${stage}.json`);
  rmSync(reportPath, { force: true });
  const status = await runNode([PLAYWRIGHT_PATH, 'test', '--no-deps', ...playwrightArgs], {
    cwd,
    env: { ...process.env, REPORT: reportPath },
    output,
  });
  if (!existsSync(reportPath)) return { passed: 0, failed: 1, again: [], journeys: [] };
  const journeys = journeysOf(JSON.parse(readFileSync(reportPath, 'utf8')));
  const passedCount = journeys.filter((journey) => journey.status === 'expected').length;
  const switchedOffCount = journeys.filter((journey) => journey.switchedOff).length;
  const failedJourneys = journeys.filter((journey) => journey.status !== 'expected' && !journey.switchedOff);
  // A run that failed outside of its journeys (for example, the system does not start) counts as failed.
  const failedOutside = status !== 0 && switchedOffCount + failedJourneys.length === 0 ? 1 : 0;
  return { passed: passedCount, failed: switchedOffCount + failedOutside, again: failedJourneys, journeys };
}

/** All tests of a report with their status. A test that another one prevented does not count as switched off. */
export function journeysOf(report) {
  const collectJourneys = (suite, titles) => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map(({ projectName, status, annotations = [] }) => ({
        project: projectName,
        file: spec.file,
        titles: [...titles, spec.title],
        status,
        switchedOff: annotations.some(({ type }) => type === 'skip' || type === 'fixme'),
      })),
    ),
    ...(suite.suites ?? []).flatMap((innerSuite) => collectJourneys(innerSuite, [...titles, innerSuite.title])),
  ];
  return (report.suites ?? []).flatMap((file) => collectJourneys(file, []));
}
