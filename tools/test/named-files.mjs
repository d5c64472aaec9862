import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ROOT } from '../install.mjs';
import { runJourneyFiles } from './browser-tests.mjs';

/** Which project of e2e/playwright.config.ts a journey belongs to; `phone` when it is none of these. */
const PROJECTS = [
  ['alone', /(in-progress|alone)\.spec\.ts$/],
  ['engines', /engines\.spec\.ts$/],
];
/** Whether a journey needs the browsers of other makers. */
export const isOfEngines = (file) => projectOf(file) === 'engines';

const projectOf = (file) => PROJECTS.find(([, files]) => files.test(file))?.[0] ?? 'phone';

/** Whether a word of the command line is a file of tests or of journeys. */
export const isTestFile = (word) => /\.(test\.(ts|mjs)|spec\.ts)$/.test(word) && existsSync(resolve(ROOT, word));

/** Runs the journeys of some files, each in the project that it belongs to. A failure is final: nothing is run again. */
export async function runNamedJourneys(files) {
  const sum = { passed: 0, failed: 0 };
  for (const project of ['phone', 'engines', 'alone']) {
    const ofProject = files
      .filter((file) => projectOf(file) === project)
      .map((file) => relative(join(ROOT, 'e2e'), resolve(ROOT, file)));
    if (ofProject.length === 0) continue;
    const { passed, failed, again } = await runJourneyFiles('journeys', project, ofProject);
    sum.passed += passed;
    sum.failed += failed + again.length;
  }
  return sum;
}
