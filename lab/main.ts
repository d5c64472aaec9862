// `npm run lab -- PROGRAM …`: starts the measurements, the test cluster and the other programs of lab/README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type LabProgram = {
  about: string;
  /** Relative to this folder. */
  file: string;
  /** Arguments of the program; undefined: the program prints its own help. */
  usage?: string;
};

const ROOT = join(import.meta.dirname, '..');
const PAGES_USAGE = '[--only /login,/user/home] [--rounds 3] [--against DIR] [--pictures DIR]';
const FAULTS_USAGE =
  '[--minutes 15] [--seed 1] [--rate 250] [--members 240] [--calm 8] [--faults "leader killed,disk full"]';

const LAB_PROGRAMS: Readonly<Record<string, LabProgram>> = {
  cluster: {
    about: 'runs three nodes, three PostgreSQL servers under Patroni and HAProxy on this machine',
    file: 'cluster/main.mjs',
    usage: '[--stop-after SECONDS]',
  },
  'cluster-shell': {
    about: 'opens a shell of such a cluster, in which the commands of docs/deploy/cluster-operation.md run as printed',
    file: 'cluster/drills/main.mjs',
    usage: '[MACHINE] [-c COMMANDS]',
  },
  'cluster-faults': {
    about: 'breaks such a cluster under load and proves that no money was lost or doubled',
    file: 'cluster/faults/main.mjs',
    usage: `${FAULTS_USAGE} [--older COMMIT]`,
  },
  faults: {
    about: 'fails transfers with every game provider in every way and prints the outcomes',
    file: 'provider-faults.mjs',
    usage: '',
  },
  howto: {
    about: 'records the tutorial videos of /howto',
    file: 'howto/record.ts',
    usage: '[NAME …] [LANGUAGE …]',
  },
  lighthouse: {
    about: 'Lighthouse scores of login and registration, on a phone, in both themes',
    file: 'lighthouse/main.ts',
    usage: '[--only /login,/register] [--rounds 3]',
  },
  soak: { about: 'runs a steady load for an hour and checks that memory stays bounded', file: 'bench/soak/main.ts' },
  day: {
    about: 'runs a long random day of members, failures and restarts; DAY_SEED=7 repeats one',
    file: '../server/test/reconcile/random-day.slow.test.ts',
    usage: '',
  },
  alerts: { about: 'tests the alert rules of deploy/prometheus with promtool', file: 'alerts.mjs', usage: '' },
};

const BENCH_PROGRAMS: Readonly<Record<string, LabProgram>> = {
  product: { about: 'cost of each command of the product (default)', file: 'bench/product/main.ts' },
  ledger: {
    about: 'ledger throughput against hand-written SQL',
    file: 'bench/ledger/main.ts',
    usage: '[--quick]',
  },
  scale: { about: 'the same commands and jobs with a million members', file: 'bench/scale/main.ts' },
  refresh: {
    about: 'latency of calls while many members refresh balances',
    file: 'bench/refresh/main.ts',
    usage: '[--quick]',
  },
  silence: {
    about: 'calls while the database connection drops all packets',
    file: 'bench/silent-database.ts',
    usage: '[ROUNDS]',
  },
  uploads: { about: 'honest uploads beside slow ones', file: 'bench/slow-uploads.ts', usage: '[MINUTES]' },
  web: { about: 'loading time of each page on a slow phone', file: 'bench/web/main.ts', usage: PAGES_USAGE },
  carousel: { about: 'frame times of the carousels', file: 'bench/carousel-frames.ts', usage: '' },
  wheel: { about: 'frame times of the spin wheel', file: 'bench/wheel-frames.ts', usage: '' },
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

const [name, ...programArgs] = process.argv.slice(2);
if (name === undefined || isHelp(name)) printText(overviewText());
else if (name === 'bench') await startBench(programArgs);
else await startProgram(name, LAB_PROGRAMS[name], programArgs);

async function startBench(args: readonly string[]): Promise<void> {
  const isNamed = args[0] !== undefined && !args[0].startsWith('-');
  const [bench = '', ...options] = isNamed ? args : ['product', ...args];
  await startProgram(`bench ${bench}`, BENCH_PROGRAMS[bench], options);
}

async function startProgram(command: string, program: LabProgram | undefined, args: readonly string[]): Promise<void> {
  if (!program) {
    process.stderr.write(`There is no program ${command}.\n${overviewText()}\n`);
    process.exitCode = 1;
  } else if (program.usage !== undefined && args.some(isHelp)) {
    printText(`${`npm run lab -- ${command} ${program.usage}`.trimEnd()}\n${program.about}`);
  } else if (program.file.endsWith('.test.ts')) {
    await runLongTest(program.file);
  } else {
    const path = join(import.meta.dirname, program.file);
    // The program reads its arguments as if started directly.
    process.argv = [process.execPath, path, ...args];
    await import(pathToFileURL(path).href);
  }
}

async function runLongTest(file: string): Promise<void> {
  const env = { ...process.env, DAY: 'long' };
  const child = spawn(process.execPath, ['--test', join(import.meta.dirname, file)], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exitCode = Number(code ?? 1);
}

function overviewText(): string {
  const rows = [
    ...Object.entries(LAB_PROGRAMS),
    ...Object.entries(BENCH_PROGRAMS).map(([bench, program]) => [`bench ${bench}`, program] as const),
  ];
  const width = Math.max(...rows.map(([command]) => command.length));
  const list = rows.map(([command, { about }]) => `  ${command.padEnd(width)}  ${about}`);
  return ['npm run lab -- PROGRAM [OPTIONS]; PROGRAM --help shows its options.', ...list].join('\n');
}

function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}
