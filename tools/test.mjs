// `npm test`: everything that says whether the product is whole. `npm test -- types server` runs those stages alone,
// `npm test -- server/test/x.test.ts e2e/journeys/y.spec.ts` those files.
// The last line is `N passed, N failed`; a stage of tools counts as one, a stage of tests as its tests.
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT, Sentence } from './install.mjs';
import { ensureBrowser, ensureEngines } from './test/browser.mjs';
import { beginBrowserTests, lineOf, runAgain, runBrowserTests, UNSTEADY_MAX } from './test/browser-tests.mjs';
import { cpuOfChildren } from './test/cpu.mjs';
import { failuresOf } from './test/failures.mjs';
import { isOfEngines, isTestFile, runNamedJourneys } from './test/named-files.mjs';
import { beginNodeTests, runNodeFiles, runNodeTests } from './test/node/node-tests.mjs';
import { folderInMemory } from './test/temporary-files.mjs';
import { runTool } from './test/tool.mjs';
import { buildWeb } from './web-build.mjs';

const bin = (name, ...rest) => [join(ROOT, 'node_modules/.bin', name), ...rest];
const tool = (name, ...rest) => [join(ROOT, 'tools', name), ...rest];

/** In the order of what is cheapest to learn. */
const STAGES = [
  ['lock', 'the lock file lists what it names', () => runTool(tool('tidy-lock.mjs', '--check'))],
  ['format', 'format', () => runTool(bin('oxfmt', '--check'))],
  ['lint', 'lint of code, with types', () => runTool(bin('oxlint', '--type-aware', '--deny-warnings'))],
  ['markdown', 'lint of documents', () => runTool(bin('markdownlint-cli2'))],
  [
    'spell',
    'spelling of documents and comments',
    () => runTool(bin('cspell', 'lint', '--no-progress', '--no-summary')),
  ],
  ['types', 'types', () => runTool(tool('types.mjs'))],
  // It loads the configuration of the browser tests, which names the browser.
  ['unused', 'unused files, exports and dependencies', () => (ensureBrowser(), runTool(bin('knip')))],
  ['checks', 'rules that no standard tool checks', () => runTool(tool('checks/main.mjs'))],
  ['schema', 'the schema that the migrations make', () => runTool(tool('schema.mjs'))],
  ['build', 'the web app builds and keeps its budgets', () => buildStage()],
  ['contract', 'tests of the contract', () => runNodeTests('contract')],
  ['phrases', 'tests of the phrases', () => runNodeTests('phrases')],
  ['simulators', 'tests of the simulators', () => runNodeTests('simulators')],
  ['web', 'tests of the web app without a browser', () => runNodeTests('web')],
  ['server', 'tests of the server, over HTTP on a real database', () => serverStage()],
  ['tools', 'tests of the tools', () => (endOfTools ? endOfTools() : runNodeTests('tools'))],
  ['e2e', 'journeys in a browser', () => journeysStage()],
  // Each starts a complete browser: nothing else runs concurrently.
  ['engines', 'a journey in WebKit and Firefox', () => (ensureEngines(), runBrowserTests('engines', 'engines'))],
  // A stage of its own, so that what fails in the other doesn't keep these from being run.
  ['alone', 'journeys that break the outside', () => aloneStage()],
];

/** Stages whose processor time is not known: a browser does not wait for the end of most of its processes. */
const BROWSER_STAGES = ['e2e', 'engines', 'alone', 'journeys'];

const words = process.argv.slice(2);
const namedFiles = words.filter(isTestFile);
const wanted = words.filter((word) => !isTestFile(word));
const unknown = wanted.filter((name) => !STAGES.some(([stage]) => stage === name));
if (unknown.length > 0) {
  console.error(
    `There is no stage and no test file ${unknown.join(', ')}. Stages: ${STAGES.map(([stage]) => stage).join(', ')}.`,
  );
  process.exit(1);
}

let passed = 0;
let failed = 0;
const broken = [];
/** The journeys that failed, by the stage they failed in. */
const again = new Map();
const unsteady = [];
/** Waits for the journeys that break the outside: of their own, and waiting most of the time, they run beside the others. */
let endOfAlone;
/** The same for the tests of the tools: their starts and drains wait, as those of the server do, but for other things. */
let endOfTools;

try {
  ensureInstalled();
  prepareReports();
  // Some four hundred processes run the same sources: they share what Node has stripped and compiled of them.
  process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/compiled');
  process.env.TMPDIR ??= folderInMemory() ?? tmpdir();
  for (const [stage, title, run] of STAGES) {
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
  return words.length === 0 || wanted.includes(stage);
}

async function runNamedFiles() {
  const journeys = namedFiles.filter((file) => file.endsWith('.spec.ts'));
  const tests = namedFiles.filter((file) => !file.endsWith('.spec.ts'));
  if (tests.length > 0) await runStage('files', 'tests of the files named', () => runNodeFiles('files', tests));
  // Not as stages of journeys: one that fails is looked at, not run again.
  if (journeys.length === 0) return;
  ensureBrowser();
  if (journeys.some(isOfEngines)) ensureEngines();
  await runStage('journeys', 'journeys of the files named', () => runNamedJourneys(journeys));
}

function buildStage() {
  const { status, output } = buildWeb();
  console.log(output.trimEnd());
  if (status !== 0) return { passed: 0, failed: 1 };
  return runTool([join(ROOT, 'web/build/check-budgets.ts')]);
}

function serverStage() {
  if (isWanted('tools')) endOfTools = beginNodeTests('tools');
  return runNodeTests('server');
}

function journeysStage() {
  ensureBrowser();
  if (isWanted('alone')) endOfAlone = beginBrowserTests('alone', 'alone');
  return runBrowserTests('e2e', 'phone');
}

function aloneStage() {
  ensureBrowser();
  return endOfAlone ? endOfAlone() : runBrowserTests('alone', 'alone');
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
  count(stage, result);
  if (result.again?.length > 0) again.set(stage, result.again);
  const toRun = result.again?.length > 0 ? `, ${result.again.length} to run again` : '';
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
  if (words.length === 0) rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
}
