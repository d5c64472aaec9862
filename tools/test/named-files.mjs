import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ROOT } from '../install.mjs';
import { runJourneyFiles } from './browser-tests.mjs';

/** Those of the project `alone` in e2e/playwright.config.ts. */
const ALONE = /(in-progress|alone)\.spec\.ts$/;

/** Whether a word of the command line is a file of tests or of journeys. */
export const isTestFile = (word) => /\.(test\.(ts|mjs)|spec\.ts)$/.test(word) && existsSync(resolve(ROOT, word));

/** Runs the journeys of some files, each in the project that it belongs to. A failure is final: nothing is run again. */
export async function runNamedJourneys(files) {
  const sum = { passed: 0, failed: 0 };
  for (const project of ['phone', 'alone']) {
    const ofProject = files
      .filter((file) => ALONE.test(file) === (project === 'alone'))
      .map((file) => relative(join(ROOT, 'e2e'), resolve(ROOT, file)));
    if (ofProject.length === 0) continue;
    const { passed, failed, again } = await runJourneyFiles('journeys', project, ofProject);
    sum.passed += passed;
    sum.failed += failed + again.length;
  }
  return sum;
}
