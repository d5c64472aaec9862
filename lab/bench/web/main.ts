// `npm run lab -- bench web`: loading times of each page on a slow phone and connection, with an empty cache and with the service
// worker. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSystemFonts } from '../../../e2e/support/browser.ts';
import { launchChromium, type Browser } from '../../../e2e/support/launch.ts';
import { type Member, newMember } from '../../../e2e/support/member.ts';
import { fundWallet } from '../../../e2e/support/money.ts';
import {
  installWorker,
  openPhoneWindow,
  type VisitMeasurements,
  measureVisit,
} from '../../../e2e/support/slow-visit.ts';
import type startSystem from '../../../e2e/support/start-system.ts';
import { mediansOf, printAims, printHead, printVisit, type Figures } from './report.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DEADLINE_MS = 30 * 60_000;

/** A page and its visitor; `worker`: a second visit, served by the service worker. */
type PageCase = { name: string; path: string; isMember: boolean; worker?: true };
const pageCases: readonly PageCase[] = [
  ...['/login', '/register', '/howto', '/contact', '/', '/user/statement'].map((path) => ({
    name: `${path} visitor`,
    path,
    isMember: false,
  })),
  ...[
    '/',
    '/user/home',
    '/user/profile',
    '/user/bonus',
    '/user/spin',
    '/user/statement',
    '/user/contact',
    '/user/howto',
  ].map((path) => ({ name: `${path} member`, path, isMember: true })),
  { name: '/user/home member, worker', path: '/user/home', isMember: true, worker: true },
];

type WebBenchOptions = {
  only: readonly string[] | undefined;
  rounds: number;
  against: string | undefined;
  pictures: string | undefined;
};

function readOptions(): WebBenchOptions {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      against: { type: 'string' },
      pictures: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 9) throw new Error('--rounds is a number from 1 to 9');
  return {
    only: values.only?.split(','),
    rounds,
    against: values.against === undefined ? undefined : resolve(values.against),
    pictures: values.pictures === undefined ? undefined : resolve(values.pictures),
  };
}

/** A system of a work tree and its member. */
type BenchSystem = { label: string; url: string; simulatorsUrl: string; member: Member; stop: () => Promise<void> };

async function startSide(label: string, treeFolder: string): Promise<BenchSystem> {
  const { default: start } = (await import(pathToFileURL(join(treeFolder, 'e2e/support/start-system.ts')).href)) as {
    default: typeof startSystem;
  };
  const stop = await start();
  const member = await newMember();
  await fundWallet(member, 1_250);
  const { KRAPAO_URL: url = '', SIMULATORS_URL: simulatorsUrl = '' } = process.env;
  return { label, url, simulatorsUrl, member, stop };
}

async function measure(
  browser: Browser,
  { path, isMember, worker }: PageCase,
  system: BenchSystem,
  screenshot?: string,
): Promise<VisitMeasurements> {
  process.env.KRAPAO_URL = system.url;
  const openedWindow = await openPhoneWindow(browser, isMember ? system.member : undefined);
  try {
    if (worker) await installWorker(openedWindow, path);
    return await measureVisit(openedWindow, path, screenshot);
  } finally {
    await openedWindow.close();
  }
}

async function startSides(against: string | undefined): Promise<BenchSystem[]> {
  const systems: BenchSystem[] = [];
  if (against !== undefined) {
    systems.push(await startSide('before', against));
    delete process.env.KRAPAO_URL;
    delete process.env.SIMULATORS_URL;
  }
  systems.push(await startSide(against === undefined ? '' : 'after', ROOT));
  return systems;
}

const { only, rounds, against, pictures } = readOptions();
setTimeout(() => {
  process.stderr.write('This machine is too busy: the measurement took longer than half an hour.\n');
  process.exit(1);
}, DEADLINE_MS).unref();
if (pictures !== undefined) await mkdir(pictures, { recursive: true });
const systems = await startSides(against);
process.env.FONTCONFIG_FILE = writeSystemFonts(join(ROOT, 'reports/system-fonts'));
const browser = await launchChromium();
const figures: Figures[] = [];
try {
  process.stdout.write(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}, median of ${rounds}\n`);
  printHead();
  for (const page of pageCases.filter(({ path }) => only?.includes(path) ?? true)) {
    const visits = new Map<BenchSystem, VisitMeasurements[]>(systems.map((system) => [system, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const system of systems) {
        const file = `${page.name.replaceAll(/\W+/g, '-')}${system.label}.png`;
        visits.get(system)?.push(await measure(browser, page, system, pictures && join(pictures, file)));
      }
    }
    for (const [system, systemVisits] of visits) {
      const row = {
        name: `${page.name} ${system.label}`.trim(),
        isAfter: system.label !== 'before',
        visit: mediansOf(systemVisits),
      };
      figures.push(row);
      printVisit(row);
    }
  }
  printAims(figures);
  process.stdout.write('\n');
  spawnSync(process.execPath, [join(ROOT, 'web/build/check-budgets.ts')], { stdio: ['ignore', 'inherit', 'inherit'] });
  await mkdir(join(ROOT, 'reports'), { recursive: true });
  await writeFile(join(ROOT, 'reports/bench-web.json'), JSON.stringify(figures, undefined, 2));
} finally {
  await browser.close();
  for (const system of systems) await system.stop();
}
