// `npm test`: all static checks and the fast test files. `npm run test:all` adds the slow ones (`*.slow.test.ts`,
// `*.slow.spec.ts`). `npm test -- types server` runs only those stages, `npm test -- server/test/x.test.ts
// e2e/journeys/y.spec.ts` those files, and `npm test -- --watch server/test/x.test.ts` repeats a file after each
// change. The last line is `N passed, N failed`; a tool stage counts as one, a test stage as its tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT, UserError } from './install.mjs';
import { beginBrowserTests, lineOf, runAgain, runBrowserTests, UNSTEADY_MAX } from './test/browser-tests.mjs';
import { ensureBrowser, ensureEngines, ensureHeadlessShell, ensurePdfReader } from './test/browser.mjs';
import { cpuOfChildren } from './test/cpu.mjs';
import { failuresOf } from './test/failures.mjs';
import { isJourney, isTestFile, runNamedJourneys } from './test/named-files.mjs';
import { beginNodeTests, runNodeFiles, runNodeTests, watchNodeFiles } from './test/node/node-tests.mjs';
import { folderInMemory } from './test/temporary-files.mjs';
import { beginChecks, runTool } from './test/tool.mjs';
import { buildWeb } from './web-build.mjs';

const binaryCommand = (name, ...args) => [join(ROOT, 'node_modules/.bin', name), ...args];
const toolCommand = (name, ...args) => [join(ROOT, 'tools', name), ...args];

/** Static checks, cheapest first. Two run concurrently, because most of them use one processor. */
const CHECKS = [
  ['lock', 'the lock file lists what it names', toolCommand('tidy-lock.mjs', '--check')],
  ['format', 'format', binaryCommand('oxfmt', '--check')],
  ['lint', 'lint of code, with types', binaryCommand('oxlint', '--type-aware', '--deny-warnings')],
  ['markdown', 'lint of documents', binaryCommand('markdownlint-cli2')],
  ['spell', 'spelling of documents and comments', binaryCommand('cspell', 'lint', '--no-progress', '--no-summary')],
  ['types', 'types', toolCommand('types.mjs')],
  ['deps', 'imports between modules, unused files, exports and dependencies', toolCommand('deps.mjs')],
  ['checks', 'rules that no standard tool checks', toolCommand('checks/main.mjs')],
  ['schema', 'the schema that the migrations make', toolCommand('schema.mjs')],
];
/** Stages of tests: the fast files of a workspace, with `--all` also the slow ones. */
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
/** Slow journeys that need special conditions; part of `npm run test:all`, or of a run that names them. */
const SLOW_STAGES = [
  // Each browser is a complete engine, so nothing else runs concurrently.
  ['engines', 'a journey in WebKit and Firefox', () => (ensureEngines(), runBrowserTests('engines', ['engines']))],
  ['lab', 'printed drills in the shell of a cluster', () => labStage()],
  // A separate stage, because a failure in another stage must not skip it.
  ['alone', 'journeys that break the outside', () => aloneStage()],
];

/** Stages without a processor time: a browser does not wait for the end of most of its processes. */
const BROWSER_STAGES = ['e2e', 'engines', 'alone', 'journeys'];

const { values: options, positionals: names } = parseArgs({
  options: { all: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const stages = [...STAGES, ...SLOW_STAGES];
const namedFiles = names.filter(isTestFile);
const stageNames = names.filter((name) => !isTestFile(name));
const unknownNames = stageNames.filter((name) => !stages.some(([stage]) => stage === name));
if (unknownNames.length > 0) {
  console.error(
    `There is no stage and no test file ${unknownNames.join(', ')}. Stages: ${stages.map(([stage]) => stage).join(', ')}.`,
  );
  process.exit(1);
}
const selection = { slow: options.all };

let passedCount = 0;
let failedCount = 0;
const brokenStages = [];
/** Failed journeys by stage. */
const again = new Map();
const unsteadyJourneys = [];
/** Waits for the journeys that break the outside. They mostly wait, so they run concurrently with other journeys. */
let endOfAlone;
/** Waits for the drills of a cluster. They mostly wait, so they run concurrently with the server tests. */
let endOfLab;
/** Waits for a static check, by name. */
let endOfChecks;
/** Waits for the tool tests, which run concurrently with the server tests. */
let endOfTools;

if (options.watch) await watchFiles();

try {
  ensureInstalled();
  prepareReports();
  // Some four hundred processes run the same sources and share Node's compile cache.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
  process.env.TMPDIR ??= folderInMemory() ?? tmpdir();
  for (const [stage, title, run] of stages) {
    if (isWanted(stage)) await runStage(stage, title, run);
  }
  await runNamedFiles();
  if (again.size > 0) await runFailedAgain();
} catch (error) {
  countResult('start', { passed: 0, failed: 1 });
  console.error(error instanceof UserError ? error.message : error.stack);
}
if (brokenStages.length > 0) {
  for (const stage of brokenStages) for (const line of failuresOf(join(ROOT, 'reports'), stage)) console.log(line);
  console.log(`\nFailed: ${brokenStages.join(', ')}`);
}
if (unsteadyJourneys.length > 0) {
  console.log(`\nunsteady (failed once, passed alone; find the cause of each):`);
  for (const journey of unsteadyJourneys) console.log(`  ${lineOf(journey)}`);
}
console.log(`${passedCount} passed, ${failedCount} failed`);
process.exitCode = failedCount === 0 ? 0 : 1;

function isWanted(stage) {
  if (names.length > 0) return stageNames.includes(stage);
  return options.all || !SLOW_STAGES.some(([slowStage]) => slowStage === stage);
}

/** Runs test files again after each change until interrupted. */
async function watchFiles() {
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
  if (journeys.length === 0) return;
  await runStage('journeys', 'journeys of the files named', () => runNamedJourneys(journeys));
}

/** Waits for one of the checks. The first call starts all of them. */
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
  if (options.all) ensurePdfReader();
  if (options.all && isWanted('lab') && hasNamespaces()) endOfLab = beginNodeTests('lab', selection);
  if (isWanted('tools')) endOfTools = beginNodeTests('tools', selection);
  return runNodeTests('server', selection);
}

async function labStage() {
  if (!hasNamespaces()) {
    console.log('Drills need root and network namespaces: none was run.');
    return { passed: 0, failed: 0 };
  }
  const result = await endOfLab?.();
  if (result?.failed === 0) return result;
  // Beside other tests a cluster may miss its own time limits.
  if (result) console.log('Drills failed beside the server tests: once more, alone.');
  return runNodeTests('lab', { slow: true });
}

/** Whether machines of a cluster can have a network and a file system of their own here. */
function hasNamespaces() {
  const folder = join(ROOT, 'node_modules/.cache/overlay');
  for (const name of ['lower', 'upper', 'work']) mkdirSync(join(folder, name), { recursive: true });
  const mount = 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work lower';
  return spawnSync('unshare', ['--net', '--mount', 'sh', '-c', mount], { cwd: folder }).status === 0;
}

function journeysStage() {
  ensureHeadlessShell();
  if (!options.all) return runBrowserTests('e2e', ['fast']);
  ensureBrowser();
  if (isWanted('alone')) endOfAlone = beginBrowserTests('alone', ['alone']);
  return runBrowserTests('e2e', ['fast', 'slow']);
}

function aloneStage() {
  ensureHeadlessShell();
  return endOfAlone ? endOfAlone() : runBrowserTests('alone', ['alone']);
}

async function runStage(stage, title, run) {
  console.log(`\n━━ ${title} (${stage})`);
  const startedAt = Date.now();
  const cpuBefore = cpuOfChildren();
  let result;
  try {
    result = await run();
  } catch (error) {
    console.error(error instanceof UserError ? error.message : error.stack);
    result = { passed: 0, failed: 1 };
  }
  const { again: failedJourneys = [] } = result;
  // Only `npm run test:all` repeats journeys.
  if (!options.all) result.failed += failedJourneys.length;
  else if (failedJourneys.length > 0) again.set(stage, failedJourneys);
  countResult(stage, result);
  const toRun = again.has(stage) ? `, ${failedJourneys.length} to run again` : '';
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const cpuText = BROWSER_STAGES.includes(stage)
    ? ''
    : `, ${(cpuOfChildren() - cpuBefore).toFixed(1)} s of processor time`;
  console.log(
    `${result.failed === 0 ? '✔' : '✖'} ${stage}: ${result.passed} passed, ${result.failed} failed${toRun} in ${seconds} s${cpuText}`,
  );
}

/**
 * Repeats failed journeys: one unlucky journey in hundreds must not fail a whole run. A journey that passes alone
 * counts as passed and is listed. Tests of server, ledger, simulators and contract are never repeated.
 */
async function runFailedAgain() {
  const allJourneys = [...again.values()].flat();
  console.log(`\n━━ journeys that failed, once more and alone (unsteady)`);
  const result = await runAgain(allJourneys);
  if (allJourneys.length > UNSTEADY_MAX)
    console.log(`${allJourneys.length} failed, more than ${UNSTEADY_MAX}: none is run again.`);
  unsteadyJourneys.push(...result.unsteady);
  passedCount += result.unsteady.length;
  failedCount += result.failed.length;
  const failedLines = new Set(result.failed.map(lineOf));
  for (const [stage, ofStage] of again) {
    if (ofStage.some((journey) => failedLines.has(lineOf(journey))) && !brokenStages.includes(stage))
      brokenStages.push(stage);
  }
  const sign = result.failed.length === 0 ? '✔' : '✖';
  console.log(`${sign} unsteady: ${result.unsteady.length} passed, ${result.failed.length} failed`);
}

function countResult(stage, result) {
  passedCount += result.passed;
  failedCount += result.failed;
  if (result.failed > 0) brokenStages.push(stage);
}

// Removes the reports of earlier runs, which must not be read as reports of this run.
function prepareReports() {
  const reportsFolder = join(ROOT, 'reports');
  if (names.length === 0) rmSync(reportsFolder, { recursive: true, force: true });
  mkdirSync(reportsFolder, { recursive: true });
}
