// `npm run lab -- bench web`: loading times of each page on a slow phone and connection, with an empty cache and with the service
// worker. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { launch, type Browser } from '../../../e2e/support/launch.ts';
import { type Member, newMember } from '../../../e2e/support/member.ts';
import { fund } from '../../../e2e/support/money.ts';
import { installWorker, openWindow, type Visit, visit } from '../../../e2e/support/slow-visit.ts';
import type startSystem from '../../../e2e/support/start-system.ts';
import { mediansOf, printAims, printHead, printVisit, type Figures } from './report.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DEADLINE_MS = 30 * 60_000;

/** A page and its visitor; `worker`: a second visit, served by the service worker. */
type Case = { name: string; path: string; isMember: boolean; worker?: true };
const cases: readonly Case[] = [
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

type Options = {
  only: readonly string[] | undefined;
  rounds: number;
  against: string | undefined;
  pictures: string | undefined;
};

function readOptions(): Options {
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
type Side = { label: string; url: string; simulatorsUrl: string; member: Member; stop: () => Promise<void> };

async function startSide(label: string, tree: string): Promise<Side> {
  const { default: start } = (await import(pathToFileURL(join(tree, 'e2e/support/start-system.ts')).href)) as {
    default: typeof startSystem;
  };
  const stop = await start();
  const member = await newMember();
  await fund(member, 1_250);
  const { KRAPAO_URL: url = '', SIMULATORS_URL: simulatorsUrl = '' } = process.env;
  return { label, url, simulatorsUrl, member, stop };
}

async function measure(
  browser: Browser,
  { path, isMember, worker }: Case,
  side: Side,
  screenshot?: string,
): Promise<Visit> {
  process.env.KRAPAO_URL = side.url;
  const window = await openWindow(browser, isMember ? side.member : undefined);
  try {
    if (worker) await installWorker(window, path);
    return await visit(window, path, screenshot);
  } finally {
    await window.close();
  }
}

async function startSides(against: string | undefined): Promise<Side[]> {
  const sides: Side[] = [];
  if (against !== undefined) {
    sides.push(await startSide('before', against));
    delete process.env.KRAPAO_URL;
    delete process.env.SIMULATORS_URL;
  }
  sides.push(await startSide(against === undefined ? '' : 'after', ROOT));
  return sides;
}

/**
 * Writes system fonts for Thai, which phones have. Without them Chromium shows wide boxes until the app's font loads, and measures
 * their shift. @returns the fontconfig file that adds them
 */
async function writeSystemFonts(directory: string): Promise<string> {
  spawnSync(process.execPath, [join(ROOT, 'web/build/fonts.ts'), '--system', directory], { stdio: 'ignore' });
  const config = join(directory, 'fonts.conf');
  const include = '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>';
  const folder = `<dir>${directory}</dir><cachedir>${join(directory, 'cache')}</cachedir>`;
  await writeFile(config, `<fontconfig>${include}${folder}</fontconfig>\n`);
  return config;
}

const { only, rounds, against, pictures } = readOptions();
setTimeout(() => {
  process.stderr.write('This machine is too busy: the measurement took longer than half an hour.\n');
  process.exit(1);
}, DEADLINE_MS).unref();
if (pictures !== undefined) await mkdir(pictures, { recursive: true });
const sides = await startSides(against);
process.env.FONTCONFIG_FILE = await writeSystemFonts(join(ROOT, 'reports/system-fonts'));
const browser = await launch();
const figures: Figures[] = [];
try {
  process.stdout.write(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}, median of ${rounds}\n`);
  printHead();
  for (const page of cases.filter(({ path }) => only?.includes(path) ?? true)) {
    const visits = new Map<Side, Visit[]>(sides.map((side) => [side, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const side of sides) {
        const file = `${page.name.replaceAll(/\W+/g, '-')}${side.label}.png`;
        visits.get(side)?.push(await measure(browser, page, side, pictures && join(pictures, file)));
      }
    }
    for (const [side, all] of visits) {
      const row = {
        name: `${page.name} ${side.label}`.trim(),
        isAfter: side.label !== 'before',
        visit: mediansOf(all),
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
  for (const side of sides) await side.stop();
}
