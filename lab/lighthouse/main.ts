// `npm run lab -- lighthouse`: scores of the pages that a visitor sees first, as a phone with the light and the dark
// theme. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one. Fails if a score that does not depend on the
// machine's load is below 100.
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CHROMIUM_FLAGS, chromiumPath } from '../../e2e/support/browser.ts';
import startSystem from '../../e2e/support/start-system.ts';
import {
  categories,
  isSteadyAimReached,
  type LighthouseReport,
  medianScores,
  type PageScores,
  tableHead,
  tableRow,
} from './scores.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Lighthouse has a lock file of its own, because its 170 MB serve only this program. */
const INSTALL_FOLDER = join(ROOT, 'node_modules/.cache/lighthouse');
const LIGHTHOUSE_CLI = join(INSTALL_FOLDER, 'node_modules/lighthouse/cli/index.js');
const REPORTS_FOLDER = join(ROOT, 'reports/lighthouse');
/** Chromium's numbers of the themes. */
const colorSchemes = { light: 1, dark: 0 } as const;
type Theme = keyof typeof colorSchemes;
const themes = ['light', 'dark'] as const satisfies readonly Theme[];

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '/login,/register' }, rounds: { type: 'string', default: '3' } },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 9) throw new Error('--rounds is a number from 1 to 9');

installLighthouse();
mkdirSync(REPORTS_FOLDER, { recursive: true });
const stop = await startSystem();
try {
  const results: PageScores[] = [];
  process.stdout.write(`load of this machine ${load()}, median of ${rounds}\n${tableHead()}\n`);
  for (const page of options.only.split(',')) {
    for (const theme of themes) {
      const scores = medianScores(page, theme, await runRounds(page, theme));
      results.push(scores);
      process.stdout.write(`${tableRow(scores)}\n`);
    }
  }
  for (const { page, theme, failedAudits } of results)
    for (const audit of failedAudits) process.stdout.write(`${page} ${theme}: ${audit}\n`);
  writeFileSync(join(REPORTS_FOLDER, 'scores.json'), JSON.stringify(results, undefined, 2));
  if (!results.every(isSteadyAimReached)) process.exitCode = 1;
} finally {
  await stop();
}

/** Installs the locked version, unless it is installed. */
function installLighthouse(): void {
  const lockText = readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8');
  const installedLock = join(INSTALL_FOLDER, 'package-lock.json');
  if (existsSync(LIGHTHOUSE_CLI) && readFileSync(installedLock, 'utf8') === lockText) return;
  process.stdout.write('Installing Lighthouse (npm ci) …\n');
  mkdirSync(INSTALL_FOLDER, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(import.meta.dirname, file), join(INSTALL_FOLDER, file));
  copyFileSync(join(ROOT, '.npmrc'), join(INSTALL_FOLDER, '.npmrc'));
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: INSTALL_FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error('Lighthouse could not be installed: see the messages of npm above.');
}

async function runRounds(page: string, theme: Theme): Promise<LighthouseReport[]> {
  const reports: LighthouseReport[] = [];
  for (let round = 1; round <= rounds; round += 1) reports.push(await runLighthouse(page, theme, round));
  return reports;
}

/** One run in a browser of its own, with Lighthouse's default phone, connection and processor. */
async function runLighthouse(page: string, theme: Theme, round: number): Promise<LighthouseReport> {
  const path = join(REPORTS_FOLDER, `${page.replaceAll('/', '')}-${theme}-${round}`);
  const flags = [...CHROMIUM_FLAGS, '--headless=new', `--blink-settings=preferredColorScheme=${colorSchemes[theme]}`];
  const args = [
    new URL(page, process.env.KRAPAO_URL).href,
    '--quiet',
    '--no-enable-error-reporting',
    `--only-categories=${categories.join(',')}`,
    '--output=json',
    '--output=html',
    `--output-path=${path}`,
    `--chrome-flags=${flags.join(' ')}`,
  ];
  const env = { ...process.env, CHROME_PATH: chromiumPath() };
  await promisify(execFile)(process.execPath, [LIGHTHOUSE_CLI, ...args], { env });
  const report = JSON.parse(readFileSync(`${path}.report.json`, 'utf8')) as LighthouseReport;
  if (report.runtimeError) throw new Error(`Lighthouse failed at ${page}: ${report.runtimeError.message}`);
  return report;
}
