import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { beginBeside, runNode } from './tool.mjs';

const E2E = join(ROOT, 'e2e');
const REPORTS = join(ROOT, 'reports');
const PLAYWRIGHT = join(ROOT, 'node_modules/.bin/playwright');

/** How many journeys of a run may fail once and pass when they run again. More means that the run is not to be trusted. */
export const UNSTEADY_MAX = 3;

/**
 * Runs projects of e2e/playwright.config.ts over one fresh system; the report is reports/STAGE.json.
 * @returns how many passed, how many failed without a second run, and the failed journeys that may run again
 */
export async function runBrowserTests(stage, projects, place) {
  return runPlaywright(stage, projects.map(optionOf), place);
}

/** Runs the journeys of some files (paths below e2e) as `runBrowserTests` does all. */
export async function runJourneyFiles(stage, project, files) {
  return runPlaywright(stage, [optionOf(project), ...files]);
}

/**
 * The same concurrently with another stage; its output goes to reports/STAGE.log.
 * @returns a function that waits for the end, prints the output, and returns the result of `runBrowserTests`
 */
export const beginBrowserTests = (stage, projects) =>
  beginBeside(join(REPORTS, `${stage}.log`), (output) => runPlaywright(stage, projects.map(optionOf), { output }));

const optionOf = (project) => `--project=${project}`;

/**
 * Runs journeys again, one at a time and alone, over a fresh system; the report is reports/unsteady.json.
 * More than UNSTEADY_MAX are not run again: all of them have failed.
 * @param journeys what the stages of journeys gave back
 * @returns the journeys that passed now, and those that failed twice
 */
export async function runAgain(journeys, place) {
  if (journeys.length > UNSTEADY_MAX) return { unsteady: [], failed: journeys };
  const folder = mkdtempSync(join(tmpdir(), 'krapao-again-'));
  const list = join(folder, 'journeys.txt');
  writeFileSync(list, journeys.map(lineOf).join('\n'));
  const { journeys: ran } = await runPlaywright('unsteady', ['--workers=1', `--test-list=${list}`], place);
  rmSync(folder, { recursive: true });
  const passed = new Set(ran.filter(({ status }) => status === 'expected').map(lineOf));
  return {
    unsteady: journeys.filter((journey) => passed.has(lineOf(journey))),
    failed: journeys.filter((journey) => !passed.has(lineOf(journey))),
  };
}

/** A journey as Playwright's `--test-list` names it. */
export const lineOf = ({ project, file, titles }) => [`[${project}]`, file, ...titles].join(' › ');

async function runPlaywright(stage, words, { cwd = E2E, reports = REPORTS, output } = {}) {
  const report = join(reports, `${stage}.json`);
  rmSync(report, { force: true });
  const status = await runNode([PLAYWRIGHT, 'test', '--no-deps', ...words], {
    cwd,
    env: { ...process.env, REPORT: report },
    output,
  });
  if (!existsSync(report)) return { passed: 0, failed: 1, again: [], journeys: [] };
  const journeys = journeysOf(JSON.parse(readFileSync(report, 'utf8')));
  const passed = journeys.filter((journey) => journey.status === 'expected').length;
  const switchedOff = journeys.filter((journey) => journey.switchedOff).length;
  const again = journeys.filter((journey) => journey.status !== 'expected' && !journey.switchedOff);
  // A run that failed outside of its journeys (a system that does not start) has failed all the same.
  const failedOutside = status !== 0 && switchedOff + again.length === 0 ? 1 : 0;
  return { passed, failed: switchedOff + failedOutside, again, journeys };
}

/** Each test of a report, with what Playwright says of it. One that did not run because of another is not switched off. */
export function journeysOf(report) {
  const collect = (suite, titles) => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map(({ projectName, status, annotations = [] }) => ({
        project: projectName,
        file: spec.file,
        titles: [...titles, spec.title],
        status,
        switchedOff: annotations.some(({ type }) => type === 'skip' || type === 'fixme'),
      })),
    ),
    ...(suite.suites ?? []).flatMap((inner) => collect(inner, [...titles, inner.title])),
  ];
  return (report.suites ?? []).flatMap((file) => collect(file, []));
}
