// `npm start`: installs and builds what is missing, then runs the whole system until Ctrl-C. `npm run dev` (`--dev`): the
// same from the sources; the app reloads in the browser and the server restarts when a source changes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from './child.mjs';
import { restartOnChange } from './dev/restart-on-change.mjs';
import { freePort } from './free-port.mjs';
import { ensureInstalled, projectNode, ROOT, UserError } from './install.mjs';
import { ensureSecrets, writeOutside } from './outside.mjs';
import { lockFolder } from './start/folder-lock.mjs';
import { readyMessage } from './start/ready-message.mjs';
import { terminalQr } from './start/terminal-qr.mjs';
import { urlsOf } from './start/urls.mjs';
import { ensureWebBuilt } from './web-build.mjs';

// A small young generation makes garbage collections frequent but short: 3 ms instead of 30 (lab/README.md).
const SERVER_FLAGS = ['--max-semi-space-size=4'];

const IS_DEV = process.argv.includes('--dev');

const PARENT_POLL_MS = 1_000;
/** Extra time added to the stop timeout of a child. */
const STOP_MARGIN_MS = 5_000;
/**
 * On Ctrl-C the terminal signals both npm and this process, and npm forwards its signal. Two signals within this time
 * count as one.
 */
const SAME_SIGNAL_MS = 500;

const children = [];
let folderLock;
let isStopping = false;
let lastSignal = { name: '', at: -Infinity };

// By default the log is a file in the data folder, because nothing collects standard output here.
process.env.LOG_TO ||= 'file';

// A closed terminal must not crash this process, which still has to stop the system.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopBySignal(signal));
stopWithNpm();

try {
  await start();
} catch (error) {
  await stop(1, error instanceof UserError ? error.message : error.stack);
}

function refuseArguments() {
  const unknownArgument = process.argv.slice(2).find((argument) => argument !== '--dev');
  if (unknownArgument === undefined) return;
  throw new UserError(
    `It takes no ${unknownArgument}: settings come from the environment, such as PORT=4000 npm start.`,
  );
}

async function start() {
  refuseArguments();
  ensureInstalled();
  const config = readConfig();
  if (!IS_DEV) ensureWebBuilt();
  makeFolder(config.dataDirectory);
  folderLock = await lockFolder(config.dataDirectory, patienceOf(config));
  const ports = {
    port: config.port || (await freePort()),
    simulatorsPort: config.simulatorsPort || (await freePort()),
  };
  const secrets = ensureSecrets(config.secretsFile);
  const urls = urlsOf(config, ports);
  if (config.simulators) writeOutside(config.outsideFile, secrets, urls, config.outsideTimeoutMs);
  else if (!existsSync(config.outsideFile)) {
    throw new UserError(
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
  const allReady = Promise.all([server.ready, simulators?.ready, app?.ready]);
  const firstResult = await Promise.race([allReady, ...children.map((child) => child.exited ?? new Promise(() => {}))]);
  if (isStopping || !Array.isArray(firstResult)) return;
  console.log(await readyMessage(config, urls, ports, terminalQr));
}

// Reads the configuration with the server's own rules and messages.
function readConfig() {
  const { status, stdout, stderr } = spawnSync(projectNode(), [join(ROOT, 'server/src/cli/show-config.ts')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new UserError(stderr.trim());
  return JSON.parse(stdout);
}

function makeFolder(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(`The data folder ${path} can't be made (${error.code}): set DATA_DIR to another one.`);
  }
}

// Exceeds the server's own stop timeout, so that the database is never killed.
function patienceOf(config) {
  return config.stopMs + STOP_MARGIN_MS;
}

function startProgram(name, program, env, config, flags = []) {
  // The server may print its log. The simulators only print that they are ready, which they also send as a message.
  const output = name === 'server' ? 'inherit' : 'ignore';
  const child = startChild({ name, flags, program, env, output, patienceMs: patienceOf(config) });
  folderLock.addChild(child.pid);
  return child;
}

function run(name, program, env, config) {
  const child = stopWithChild(startProgram(name, program, env, config));
  children.push(child);
  return child;
}

// A child that ends unexpectedly stops the system.
function stopWithChild(child, remedy) {
  void child.exited.then(({ code, signal }) => {
    if (isStopping) return;
    const outcome = signal ? `stopped by ${signal}` : `stopped with code ${code}`;
    void stop(1, `The ${child.name} ${outcome}, so everything else stops too.${remedy ?? ''}`);
  });
  return child;
}

/**
 * SIGTERM drains. Ctrl-C stops without a drain, or ends one; a second Ctrl-C kills the processes. The database stops
 * cleanly in any case.
 */
function stopBySignal(signal) {
  const nowMs = performance.now();
  const previousSignal = lastSignal;
  if (signal === previousSignal.name && nowMs - previousSignal.at < SAME_SIGNAL_MS) return;
  lastSignal = { name: signal, at: nowMs };
  const childSignal = signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
  if (!isStopping) {
    console.log('Stopping …');
    void stop(0, '', childSignal);
  } else if (signal === 'SIGINT' && previousSignal.name === 'SIGINT') {
    console.log('Stopping at once …');
    for (const child of children) child.kill();
  } else {
    // Ends the drain of the server. The simulators stop after it.
    children.at(-1)?.signal(childSignal);
  }
}

// Stops the server first, because it still calls the simulators.
async function stop(status, reason, signal = 'SIGTERM') {
  if (reason) console.error(reason);
  if (isStopping) return;
  isStopping = true;
  for (const child of children.toReversed()) await child.stop(signal);
  folderLock?.release();
  process.exit(status);
}

// Stops when npm is killed: npm forwards signals, but a kill -9 of npm would leave this process running. The script
// uses `exec`, so that the parent is npm and not a shell.
function stopWithNpm() {
  if (!['start', 'dev'].includes(process.env.npm_lifecycle_event)) return;
  const parentPid = process.ppid;
  setInterval(() => process.ppid !== parentPid && void stop(1, ''), PARENT_POLL_MS).unref();
}
