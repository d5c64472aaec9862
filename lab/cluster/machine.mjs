import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Sentence } from '../../tools/install.mjs';
import { kill, processesOf } from './processes.mjs';

/** As `RestartSec` of the units. */
const RESTART_MS = 2_000;
const RUN_WITHIN_MS = 20_000;
const STOP_PATIENCE_MS = 15_000;
/** Patroni keeps the passwords of PostgreSQL in its home. */
const HOME = '/run/postgresql';
const CLEAN = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/**
 * One machine of the cluster: services that are restarted as systemd would. What separates it from the others is in `machines`:
 * `setUp`, `network` (see processesOf), `enter` (words that run a command on it), and `tearDown`.
 */
export class Machine {
  #services = new Map();
  #isOff = false;

  /** @param wish `name`, `address`, and `folder` of its files */
  constructor({ name, address, folder }) {
    Object.assign(this, { name, address, folder });
    for (const one of ['etc', 'lib/postgresql', 'log']) {
      mkdirSync(join(folder, one), { recursive: true, mode: 0o755 });
    }
  }

  /** What the paths of the deployment files are called on this machine, in a text. */
  place(text) {
    return text;
  }

  /** Environment of every process of this machine. */
  get environment() {
    return { ...CLEAN, HOME: this.place(HOME) };
  }

  /** Runs a command to its end. @returns standard output @throws {Sentence} it failed, or took too long */
  async run(words, { user, env, input = '' } = {}) {
    const options = { env: { ...this.environment, ...env }, timeout: RUN_WITHIN_MS, killSignal: 'SIGKILL' };
    const [command, ...rest] = this.enter(this.#placed(words), { user });
    const child = spawn(command, rest, options);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const status = await new Promise((resolve) => child.once('close', resolve));
    if (status === 0) return output.stdout;
    throw new Sentence(`${words.join(' ')} on ${this.name}: ${output.stderr.trim() || 'no end in time'}`);
  }

  /**
   * Starts a service, and starts it again whenever it ends.
   * @param wish `command`, `env`, `user`; `directory` to start in; `niceness` beside that of this process
   */
  start(name, wish) {
    const service = { name, wish, isWanted: true, child: undefined, timer: undefined };
    this.#services.set(name, service);
    this.#launch(service);
  }

  #launch(service) {
    const { name, wish } = service;
    const { command, env, user, directory = '/', niceness = 0 } = wish;
    const shell = ['nice', '-n', String(niceness), 'sh', '-c', 'cd "$0" && exec "$@"', directory, ...command];
    const [program, ...words] = this.enter(this.#placed(shell), { user });
    const log = createWriteStream(join(this.folder, 'log', `${name}.log`), { flags: 'a' });
    const variables = Object.entries(env ?? {}).map(([key, value]) => [key, this.place(value)]);
    const child = spawn(program, words, {
      env: { ...this.environment, ...Object.fromEntries(variables) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    service.child = child;
    service.ended = new Promise((resolve) => {
      // Not `close`: PostgreSQL keeps the output of a Patroni that was killed.
      child.once('exit', () => {
        resolve();
        if (service.child === child && service.isWanted && !this.#isOff)
          service.timer = setTimeout(() => this.#launch(service), RESTART_MS);
      });
    });
  }

  /** Changes what a service is started with the next time. */
  change(name, wish) {
    this.#services.get(name).wish = wish;
  }

  /** Sends a signal to the process of a service, which is started again when it ends. */
  signal(name, signal) {
    const { child } = this.#services.get(name);
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return this.#services.get(name).ended;
  }

  /** Stops a service for good. */
  async stop(name) {
    const service = this.#services.get(name);
    if (!service) return;
    service.isWanted = false;
    clearTimeout(service.timer);
    const forced = setTimeout(() => service.child.kill('SIGKILL'), STOP_PATIENCE_MS);
    await this.signal(name, 'SIGTERM');
    clearTimeout(forced);
  }

  /** Leaves a service off when it ends. */
  hold(name) {
    this.#services.get(name).isWanted = false;
  }

  /** Starts a stopped service with what it was started with. */
  resume(name) {
    const service = this.#services.get(name);
    service.isWanted = true;
    this.#launch(service);
  }

  /** Kills everything at once, as a loss of power does; off until {@link powerOn}. */
  async powerOff() {
    this.#isOff = true;
    for (const { timer } of this.#services.values()) clearTimeout(timer);
    while (this.processes().length > 0) {
      for (const pid of this.processes()) kill(pid, 'SIGKILL');
      await wait(50);
    }
  }

  powerOn() {
    this.#isOff = false;
    for (const service of this.#services.values()) if (service.isWanted) this.#launch(service);
  }

  freeze() {
    for (const pid of this.processes()) kill(pid, 'SIGSTOP');
  }

  thaw() {
    for (const pid of this.processes()) kill(pid, 'SIGCONT');
  }

  /** All processes of this machine. */
  processes() {
    return processesOf(this.network);
  }

  /** Ends what is left. */
  async tearDown() {
    this.thaw();
    for (const service of this.#services.values()) service.isWanted = false;
    await this.powerOff();
  }

  #placed(words) {
    return words.map((word) => this.place(word));
  }
}
