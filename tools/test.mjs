// `npm test`: all static checks and the fast test files. `npm run test:all` adds the slow ones (`*.slow.test.ts`, `*.slow.spec.ts`).
// `npm test -- types server` runs only those stages, `npm test -- server/test/x.test.ts e2e/journeys/y.spec.ts` those files, and
// `npm test -- --watch server/test/x.test.ts` repeats a file after each change.
// The last line is `N passed, N failed`; a stage of tools counts as one, a stage of tests as its tests.
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT, Sentence } from './install.mjs';
import { ensureBrowser, ensureEngines, ensureHeadlessShell } from './test/browser.mjs';
import { beginBrowserTests, lineOf, runAgain, runBrowserTests, UNSTEADY_MAX } from './test/browser-tests.mjs';
import { cpuOfChildren } from './test/cpu.mjs';
import { failuresOf } from './test/failures.mjs';
import { isJourney, isTestFile, runNamedJourneys } from './test/named-files.mjs';
import { beginNodeTests, runNodeFiles, runNodeTests, watchNodeFiles } from './test/node/node-tests.mjs';
import { folderInMemory } from './test/temporary-files.mjs';
import { beginChecks, runTool } from './test/tool.mjs';
import { buildWeb } from './web-build.mjs';

const bin = (name, ...rest) => [join(ROOT, 'node_modules/.bin', name), ...rest];
const tool = (name, ...rest) => [join(ROOT, 'tools', name), ...rest];

/** Static checks, cheapest first. Two run at a time, because most of them use one processor. */
const CHECKS = [
  ['lock', 'the lock file lists what it names', tool('tidy-lock.mjs', '--check')],
  ['format', 'format', bin('oxfmt', '--check')],
  ['lint', 'lint of code, with types', bin('oxlint', '--type-aware', '--deny-warnings')],
  ['markdown', 'lint of documents', bin('markdownlint-cli2')],
  ['spell', 'spelling of documents and comments', bin('cspell', 'lint', '--no-progress', '--no-summary')],
  ['types', 'types', tool('types.mjs')],
  ['deps', 'imports between modules, unused files, exports and dependencies', tool('deps.mjs')],
  ['checks', 'rules that no standard tool checks', tool('checks/main.mjs')],
  ['schema', 'the schema that the migrations make', tool('schema.mjs')],
];
/** The tests of a workspace are its fast files, with `--all` also its slow ones. */
const STAGES = [
  ...CHECKS.map(([stage, title]) => [stage, title, () => checkStage(stage)]),
  ['build', 'the web app builds and keeps its budgets', () => buildStage()],
  ['contract', 'tests of the contract', () => runNodeTests('contract', selection)],
  ['phrases', 'tests of the phrases', () => runNodeTests('phrases', selection)],
  ['simulators', 'tests of the simulators', () => runNodeTests('simulators', selection)],
  ['web', 'tests of the web app without a browser', () => runNodeTests('web', selection)],
  ['server', 'tests of the server, over HTTP on a real database', () => serverStage()],
  ['tools', 'tests of the tools', () => (endOfTools ? endOfTools() : runNodeTests('tools', selection))],
  ['e2e', 'journeys in a browser', () => journeysStage()],
];
/** Slow journeys with conditions of their own: part of `npm run test:all`, or of a run that names them. */
const SLOW_STAGES = [
  // Each starts a complete browser: nothing else runs concurrently.
  ['engines', 'a journey in WebKit and Firefox', () => (ensureEngines(), runBrowserTests('engines', ['engines']))],
  // A stage of its own: a failure in another stage does not skip it.
  ['alone', 'journeys that break the outside', () => aloneStage()],
];

/** Stages whose processor time is not known: a browser does not wait for the end of most of its processes. */
const BROWSER_STAGES = ['e2e', 'engines', 'alone', 'journeys'];

const { values: options, positionals: names } = parseArgs({
  options: { all: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const stages = [...STAGES, ...SLOW_STAGES];
const namedFiles = names.filter(isTestFile);
const stageNames = names.filter((name) => !isTestFile(name));
const unknown = stageNames.filter((name) => !stages.some(([stage]) => stage === name));
if (unknown.length > 0) {
  console.error(
    `There is no stage and no test file ${unknown.join(', ')}. Stages: ${stages.map(([stage]) => stage).join(', ')}.`,
  );
  process.exit(1);
}
const selection = { slow: options.all };

let passed = 0;
let failed = 0;
const broken = [];
/** The journeys that failed, by the stage they failed in. */
const again = new Map();
const unsteady = [];
/** Waits for the journeys that break the outside. They mostly wait, so they run concurrently with the other journeys. */
let endOfAlone;
/** Waits for a static check, by its name. */
let endOfChecks;
/** Waits for the tests of the tools, which run concurrently with those of the server. */
let endOfTools;

if (options.watch) await watch();

try {
  ensureInstalled();
  prepareReports();
  // Some four hundred processes run the same sources: they share what Node has stripped and compiled of them.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
  process.env.TMPDIR ??= folderInMemory() ?? tmpdir();
  for (const [stage, title, run] of stages) {
    if (isWanted(stage)) await runStage(stage, title, run);
  }
  await runNamedFiles();
  if (again.size > 0) await runFailedAgain();
} catch (error) {
  count('start', { passed: 0, failed: 1 });
  console.error(error instanceof Sentence ? error.message : error.stack);
}
if (broken.length > 0) {
  for (const stage of broken) for (const line of failuresOf(join(ROOT, 'reports'), stage)) console.log(line);
  console.log(`\nFailed: ${broken.join(', ')}`);
}
if (unsteady.length > 0) {
  console.log(`\nunsteady (failed once, passed alone; find the cause of each):`);
  for (const journey of unsteady) console.log(`  ${lineOf(journey)}`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function isWanted(stage) {
  if (names.length > 0) return stageNames.includes(stage);
  return options.all || !SLOW_STAGES.some(([slow]) => slow === stage);
}

/** Repeats test files after each change until it is interrupted. */
async function watch() {
  if (namedFiles.length === 0 || stageNames.length > 0 || namedFiles.some(isJourney)) {
    console.error('--watch takes test files of node:test (*.test.ts, *.test.mjs), no journeys and no stages.');
    process.exit(1);
  }
  ensureInstalled();
  process.exit(await watchNodeFiles(namedFiles));
}

async function runNamedFiles() {
  const journeys = namedFiles.filter(isJourney);
  const tests = namedFiles.filter((file) => !isJourney(file));
  if (tests.length > 0) await runStage('files', 'tests of the files named', () => runNodeFiles('files', tests));
  // Unlike in a stage of journeys, a failed one is not run again.
  if (journeys.length === 0) return;
  await runStage('journeys', 'journeys of the files named', () => runNamedJourneys(journeys));
}

/** Waits for one of the checks, all of which begin with the first. */
function checkStage(stage) {
  endOfChecks ??= beginChecks(CHECKS.filter(([name]) => isWanted(name)));
  return endOfChecks.get(stage)();
}

function buildStage() {
  const { status, output } = buildWeb();
  console.log(output.trimEnd());
  if (status !== 0) return { passed: 0, failed: 1 };
  return runTool([join(ROOT, 'web/build/check-budgets.ts')]);
}

function serverStage() {
  if (isWanted('tools')) endOfTools = beginNodeTests('tools', selection);
  return runNodeTests('server', selection);
}

function journeysStage() {
  ensureHeadlessShell();
  if (!options.all) return runBrowserTests('e2e', ['fast']);
  ensureBrowser();
  if (isWanted('alone')) endOfAlone = beginBrowserTests('alone', ['alone']);
  return runBrowserTests('e2e', ['fast', 'slow']);
}

function aloneStage() {
  ensureBrowser();
  return endOfAlone ? endOfAlone() : runBrowserTests('alone', ['alone']);
}

async function runStage(stage, title, run) {
  console.log(`\n━━ ${title} (${stage})`);
  const since = Date.now();
  const cpuBefore = cpuOfChildren();
  let result;
  try {
    result = await run();
  } catch (error) {
    console.error(error instanceof Sentence ? error.message : error.stack);
    result = { passed: 0, failed: 1 };
  }
  const { again: failedJourneys = [] } = result;
  // Only `npm run test:all` repeats journeys.
  if (!options.all) result.failed += failedJourneys.length;
  else if (failedJourneys.length > 0) again.set(stage, failedJourneys);
  count(stage, result);
  const toRun = again.has(stage) ? `, ${failedJourneys.length} to run again` : '';
  const seconds = ((Date.now() - since) / 1000).toFixed(1);
  const cpu = BROWSER_STAGES.includes(stage) ? '' : `, ${(cpuOfChildren() - cpuBefore).toFixed(1)} s of processor time`;
  console.log(
    `${result.failed === 0 ? '✔' : '✖'} ${stage}: ${result.passed} passed, ${result.failed} failed${toRun} in ${seconds} s${cpu}`,
  );
}

/**
 * One unlucky journey in hundreds must not turn away a whole run. It passes when it passes alone, and is listed; the
 * tests of the server, the ledger, the simulators and the contract are never run again.
 */
async function runFailedAgain() {
  const journeys = [...again.values()].flat();
  console.log(`\n━━ journeys that failed, once more and alone (unsteady)`);
  const result = await runAgain(journeys);
  if (journeys.length > UNSTEADY_MAX)
    console.log(`${journeys.length} failed, more than ${UNSTEADY_MAX}: none is run again.`);
  unsteady.push(...result.unsteady);
  passed += result.unsteady.length;
  failed += result.failed.length;
  const lines = new Set(result.failed.map(lineOf));
  for (const [stage, ofStage] of again) {
    if (ofStage.some((journey) => lines.has(lineOf(journey))) && !broken.includes(stage)) broken.push(stage);
  }
  const sign = result.failed.length === 0 ? '✔' : '✖';
  console.log(`${sign} unsteady: ${result.unsteady.length} passed, ${result.failed.length} failed`);
}

function count(stage, result) {
  passed += result.passed;
  failed += result.failed;
  if (result.failed > 0) broken.push(stage);
}

// A report of an earlier run must not be read as one of this run.
function prepareReports() {
  const reports = join(ROOT, 'reports');
  if (names.length === 0) rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
}
