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

// A small young generation makes garbage collections frequent and short: 3 ms instead of 30 (lab/README.md).
const SERVER_FLAGS = ['--max-semi-space-size=4'];

const IS_DEV = process.argv.includes('--dev');

const PARENT_POLL_MS = 1_000;
/** Added to the time that a child needs to stop. */
const STOP_MARGIN_MS = 5_000;
/** The terminal signals npm and this process, and npm forwards its signal: two this close together are one. */
const SAME_SIGNAL_MS = 500;

const children = [];
let lock;
let stopping = false;
let lastSignal = { name: '', at: -Infinity };

// Standard output is not collected here: the log is a file of the data folder, unless configured otherwise.
process.env.LOG_TO ||= 'file';

// A closed terminal must not crash this process: it still has to stop the system.
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
      `SIMULATORS is off, so ${config.outsideFile} must describe the real outside: see docs/outside.md.`,
    );
  }
  console.log('Starting …');
  const env = {
    // In development browsers use Vite's server, which proxies the API.
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
  const ready = Promise.all([server.ready, simulators?.ready, app?.ready]);
  const first = await Promise.race([ready, ...children.map((child) => child.exited ?? new Promise(() => {}))]);
  if (stopping || !Array.isArray(first)) return;
  console.log(await readyMessage(config, places, ports, terminalQr));
}

// Validated by the server's own rules and messages.
function readConfig() {
  const { status, stdout, stderr } = spawnSync(projectNode(), [join(ROOT, 'server/src/cli/show-config.ts')], {
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

// Longer than the server's own limit, so that the database is never killed.
function patienceOf(config) {
  return config.stopMs + STOP_MARGIN_MS;
}

function startProgram(name, program, env, config, flags = []) {
  // The server may print its log; the simulators only print that they are ready, which they also send as a message.
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

// A child that ends unexpectedly stops the system.
function stopWithChild(child, hint) {
  void child.exited.then(({ code, signal }) => {
    if (stopping) return;
    const how = signal ? `stopped by ${signal}` : `stopped with code ${code}`;
    void stop(1, `The ${child.name} ${how}, so everything else stops too.${hint ?? ''}`);
  });
  return child;
}

/**
 * SIGTERM drains. Ctrl-C stops without a drain, or ends one; a second Ctrl-C kills the processes. The database stops
 * cleanly in any case.
 */
function stopBySignal(signal) {
  const at = performance.now();
  const before = lastSignal;
  if (signal === before.name && at - before.at < SAME_SIGNAL_MS) return;
  lastSignal = { name: signal, at };
  const forwarded = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
  if (!stopping) {
    console.log('Stopping …');
    void stop(0, '', forwarded);
  } else if (signal === 'SIGINT' && before.name === 'SIGINT') {
    console.log('Stopping at once …');
    for (const child of children) child.kill();
  } else {
    // Ends the server's drain. The simulators stop after it.
    children.at(-1)?.signal(forwarded);
  }
}

// The server stops first: it still calls the simulators.
async function stop(status, why, signal = 'SIGTERM') {
  if (why) console.error(why);
  if (stopping) return;
  stopping = true;
  for (const child of children.toReversed()) await child.stop(signal);
  lock?.release();
  process.exit(status);
}

// npm forwards signals, but a kill -9 of npm would leave this process running. The script uses `exec`, so that npm is the
// parent and not a shell that outlives it.
function stopWithNpm() {
  if (!['start', 'dev'].includes(process.env.npm_lifecycle_event)) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(1, ''), PARENT_POLL_MS).unref();
}
