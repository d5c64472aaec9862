// `npm start`: installs and builds what is missing, then runs the whole system until Ctrl-C. `npm run dev` (`--dev`): the
// same from the sources; the app reloads in the browser and the server restarts when a source changes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child.mjs';
import { restartOnChange } from './dev/restart-on-change.mjs';
import { lockFolder } from './start/folder-lock.mjs';
import { freePort } from './free-port.mjs';
import { ensureInstalled, projectNode, ROOT, Sentence } from './install.mjs';
import { ensureSecrets, writeOutside } from './outside.mjs';
import { placesOf } from './start/places.mjs';
import { readyMessage } from './start/ready-message.mjs';
import { terminalQr } from './start/terminal-qr.mjs';
import { ensureWebBuilt } from './web-build.mjs';

// Collecting the garbage of many calls pauses the process for as long as there is much of it: more frequent, smaller
// collections take 3 ms instead of 30 (lab/README.md).
const SERVER_FLAGS = ['--max-semi-space-size=4'];

const IS_DEV = process.argv.includes('--dev');

const PARENT_POLL_MS = 1_000;
/** What a child may take beyond the time in which it ends by itself. */
const STOP_MARGIN_MS = 5_000;
/** npm passes on what the terminal has sent to both: two signals this close together are one. */
const SAME_SIGNAL_MS = 500;

const children = [];
let lock;
let stopping = false;
let lastSignal = { name: '', at: -Infinity };

// Standard output is not collected here: the log is a file of the data folder, unless configured otherwise.
process.env.LOG_TO ||= 'file';

// A terminal that is gone is no reason to leave the system running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopBySignal(signal));
stopWithNpm();

try {
  await start();
} catch (error) {
  await stop(1, error instanceof Sentence ? error.message : error.stack);
}

function refuseArguments() {
  const word = process.argv.slice(2).find((one) => one !== '--dev');
  if (word === undefined) return;
  throw new Sentence(`It takes no ${word}: settings come from the environment, such as PORT=4000 npm start.`);
}

async function start() {
  refuseArguments();
  ensureInstalled();
  const config = readConfig();
  if (!IS_DEV) ensureWebBuilt();
  makeFolder(config.dataDirectory);
  lock = await lockFolder(config.dataDirectory, patienceOf(config));
  const ports = {
    port: config.port || (await freePort()),
    simulatorsPort: config.simulatorsPort || (await freePort()),
  };
  const secrets = ensureSecrets(config.secretsFile);
  const places = placesOf(config, ports);
  if (config.simulators) writeOutside(config.outsideFile, secrets, places, config.outsideTimeoutMs);
  else if (!existsSync(config.outsideFile)) {
    throw new Sentence(
      `SIMULATORS is off, so ${config.outsideFile} must say where the real outside is: docs/outside.md tells how.`,
    );
  }
  console.log('Starting …');
  const env = {
    // In development browsers ask the app's own server, which passes on what the API serves.
    PORT: String(IS_DEV ? await freePort() : ports.port),
    SIMULATORS_PORT: String(ports.simulatorsPort),
    HOST: config.host,
    OUTSIDE_FILE: config.outsideFile,
    DATA_DIR: config.dataDirectory,
    ...(IS_DEV && { API_PROCESSES: '1' }),
  };
  const simulators = config.simulators ? run('simulators', 'simulators/src/main.ts', env, config) : undefined;
  const app = IS_DEV
    ? run('app', 'web/build/dev.ts', { ...env, PORT: String(ports.port), API_PORT: env.PORT }, config)
    : undefined;
  const startServer = () => startProgram('server', 'server/src/main.ts', env, config, SERVER_FLAGS);
  const server = IS_DEV
    ? restartOnChange(startServer, console.log)
    : stopWithChild(startServer(), config.logFile && ` Its log is ${config.logFile}.`);
  children.push(server);
  const ready = Promise.all([server.told, simulators?.told, app?.told]);
  const first = await Promise.race([ready, ...children.map((child) => child.exited ?? new Promise(() => {}))]);
  if (stopping || !Array.isArray(first)) return;
  console.log(await readyMessage(config, places, ports, terminalQr));
}

// Checked by the server's own rules, in its own words.
function readConfig() {
  const { status, stdout, stderr } = spawnSync(projectNode(), [join(ROOT, 'server/src/commands/show-config.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Sentence(stderr.trim());
  return JSON.parse(stdout);
}

function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Sentence(`The data folder ${path} can't be made (${error.code}): set DATA_DIR to another one.`);
  }
}

// It stops within this time; the caller waits a little longer, so that the database is never killed.
function patienceOf(config) {
  return config.stopMs + STOP_MARGIN_MS;
}

function startProgram(name, program, env, config, flags = []) {
  // The server prints its log, where that is wanted; the simulators print that they are ready, which they tell as well.
  const output = name === 'server' ? 'inherit' : 'ignore';
  const child = startChild({ name, flags, program, env, output, patienceMs: patienceOf(config) });
  lock.addChild(child.pid);
  return child;
}

function run(name, program, env, config) {
  const child = stopWithChild(startProgram(name, program, env, config));
  children.push(child);
  return child;
}

// One that ends by itself ends everything.
function stopWithChild(child, hint) {
  void child.exited.then(({ code, signal }) => {
    if (stopping) return;
    const how = signal ? `stopped by ${signal}` : `stopped with code ${code}`;
    void stop(1, `The ${child.name} ${how}, so everything else stops too.${hint ?? ''}`);
  });
  return child;
}

/**
 * SIGTERM drains. Ctrl-C, from a person at the terminal, stops without a drain, or ends one; pressed again it forces,
 * and the database stops cleanly all the same.
 */
function stopBySignal(signal) {
  const at = performance.now();
  const before = lastSignal;
  if (signal === before.name && at - before.at < SAME_SIGNAL_MS) return;
  lastSignal = { name: signal, at };
  const wish = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
  if (!stopping) {
    console.log('Stopping …');
    void stop(0, '', wish);
  } else if (signal === 'SIGINT' && before.name === 'SIGINT') {
    console.log('Stopping at once …');
    for (const child of children) child.kill();
  } else {
    // The server's drain; the simulators, which it still needs, have none.
    children.at(-1)?.signal(wish);
  }
}

// The server first, so that nothing is sent to an outside that is gone.
async function stop(status, why, signal = 'SIGTERM') {
  if (why) console.error(why);
  if (stopping) return;
  stopping = true;
  for (const child of children.toReversed()) await child.stop(signal);
  lock?.release();
  process.exit(status);
}

// npm passes signals on, but a kill -9 of npm itself would leave this process without anyone to stop it. The script says
// `exec`, so that npm is the parent and not a shell, which would live on.
function stopWithNpm() {
  if (!['start', 'dev'].includes(process.env.npm_lifecycle_event)) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(1, ''), PARENT_POLL_MS).unref();
}
