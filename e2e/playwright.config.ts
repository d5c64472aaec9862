import { defineConfig } from '@playwright/test';
import { CHROMIUM_FLAGS, headlessShellPath } from './support/browser.ts';

const SLOW_FILES = /\.slow\.spec\.ts$/;
const ALONE_FILES = /(in-progress|alone|layout-shift)\.slow\.spec\.ts$/;
const ENGINE_FILES = /engines\.slow\.spec\.ts$/;

/**
 * Journeys in a real browser against the system that `npm start` starts, on separate ports and an empty data folder. No
 * test is retried here. `npm run test:all` reruns failed journeys alone at its end and lists those that then pass as
 * unsteady: each is a defect to find.
 */
export default defineConfig({
  testDir: './journeys',
  globalSetup: './support/start-system.ts',
  fullyParallel: true,
  // One more than the cores: with two, a fifth of the processor time is idle.
  workers: 3,
  retries: 0,
  timeout: 90_000,
  // Long enough for three or four consecutive calls on a busy machine. A passing expectation doesn't wait this long.
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: process.env.REPORT ?? '../reports/e2e.json' }]],
  use: {
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    // Animations take a tenth of the time; journeys about motion set `test.use(WITH_MOTION)`.
    contextOptions: { reducedMotion: 'reduce' },
    // A service worker refills its cache in each context, which takes a seventh of the time; journeys about it set
    // `test.use(WITH_SERVICE_WORKER)`.
    serviceWorkers: 'block',
    // Recording a trace of every test takes a third of the time. Use `TRACE=1` for a failure that the screenshot and
    // the page text don't explain.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    // Journeys that need the complete browser start it themselves, with `chromiumPath()`.
    launchOptions: { executablePath: headlessShellPath(), args: CHROMIUM_FLAGS },
  },
  projects: [
    {
      name: 'fast',
      testIgnore: SLOW_FILES,
      outputDir: '../reports/browser/fast',
    },
    {
      name: 'slow',
      testMatch: SLOW_FILES,
      testIgnore: [ALONE_FILES, ENGINE_FILES],
      outputDir: '../reports/browser/slow',
    },
    // Each test starts a complete browser: one at a time.
    {
      name: 'engines',
      testMatch: ENGINE_FILES,
      outputDir: '../reports/browser/engines',
      workers: 1,
      fullyParallel: false,
    },
    // These tests break the simulators for all tests: they use a separate system, one at a time. Layout shifts on a
    // slow line run here too: they mostly wait, and would block the other workers.
    {
      name: 'alone',
      testMatch: ALONE_FILES,
      outputDir: '../reports/browser/alone',
      dependencies: ['fast', 'slow'],
      workers: 1,
      fullyParallel: false,
    },
  ],
});
