import { defineConfig } from '@playwright/test';
import { chromiumPath, flags, headlessShellPath } from './support/browser.ts';

const SLOW = /\.slow\.spec\.ts$/;
const ALONE = /(in-progress|alone)\.slow\.spec\.ts$/;
const ENGINES = /engines\.slow\.spec\.ts$/;

/**
 * Journeys in a real browser over the system that `npm start` starts, on its own ports and an empty data folder.
 * No test is retried here. `npm run test:all` runs failed journeys again at its end, alone, and lists those that pass then as
 * unsteady: each is a defect to find.
 */
export default defineConfig({
  testDir: './journeys',
  globalSetup: './support/start-system.ts',
  fullyParallel: true,
  // One more than cores: with two, a fifth of the processors is idle.
  workers: 3,
  retries: 0,
  timeout: 90_000,
  // Long enough for three or four calls one after the other on a machine that does much else; nothing that holds waits for it.
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: process.env.REPORT ?? '../reports/e2e.json' }]],
  use: {
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    // Pictures that move cost a tenth of the time; journeys about them say `test.use(MOVING)`.
    contextOptions: { reducedMotion: 'reduce' },
    // It fills its cache again in each context, which costs a seventh of the time; journeys that need it say
    // `test.use(WITH_SERVICE_WORKER)`.
    serviceWorkers: 'block',
    // A trace records every picture and every page of every test, which takes a third of the time: `TRACE=1` for a failure
    // that its picture and the text of its page don't explain.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: chromiumPath(), args: flags },
  },
  projects: [
    {
      name: 'fast',
      testIgnore: SLOW,
      outputDir: '../reports/browser/fast',
      use: { launchOptions: { executablePath: headlessShellPath(), args: flags } },
    },
    { name: 'slow', testMatch: SLOW, testIgnore: [ALONE, ENGINES], outputDir: '../reports/browser/slow' },
    // Each starts a complete browser: one at a time.
    {
      name: 'engines',
      testMatch: ENGINES,
      outputDir: '../reports/browser/engines',
      workers: 1,
      fullyParallel: false,
    },
    // These break the outside for all tests: over a system of their own, one at a time.
    {
      name: 'alone',
      testMatch: ALONE,
      outputDir: '../reports/browser/alone',
      dependencies: ['fast', 'slow'],
      workers: 1,
      fullyParallel: false,
    },
  ],
});
