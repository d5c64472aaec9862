import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ROOT } from '../install.mjs';
import { runJourneyFiles } from './browser-tests.mjs';
import { ensureBrowser, ensureEngines, ensureHeadlessShell } from './browser.mjs';

/** Some slow journeys also start the complete browser. */
const ensureBrowsers = () => (ensureHeadlessShell(), ensureBrowser());
/** Projects of e2e/playwright.config.ts. The first that matches a file runs it, with its browsers. */
const JOURNEY_PROJECTS = [
  ['engines', /engines\.slow\.spec\.ts$/, ensureEngines],
  ['alone', /(in-progress|alone|layout-shift)\.slow\.spec\.ts$/, ensureHeadlessShell],
  ['slow', /\.slow\.spec\.ts$/, ensureBrowsers],
  ['fast', /\.spec\.ts$/, ensureHeadlessShell],
];

/** Whether an argument is a path of a test file or journey. */
export const isTestFile = (name) => /\.(test\.(ts|mjs)|spec\.ts)$/.test(name) && existsSync(resolve(ROOT, name));

export const isJourney = (file) => file.endsWith('.spec.ts');

/** Runs the journeys of some files, each in its project. A failed journey is not repeated. */
export async function runNamedJourneys(files) {
  const totals = { passed: 0, failed: 0 };
  const projectOf = (file) => JOURNEY_PROJECTS.find(([, pattern]) => pattern.test(file))?.[0];
  for (const [project, , ensure] of JOURNEY_PROJECTS) {
    const ofProject = files
      .filter((file) => projectOf(file) === project)
      .map((file) => relative(join(ROOT, 'e2e'), resolve(ROOT, file)));
    if (ofProject.length === 0) continue;
    ensure();
    const { passed, failed, again } = await runJourneyFiles('journeys', project, ofProject);
    totals.passed += passed;
    totals.failed += failed + again.length;
  }
  return totals;
}
