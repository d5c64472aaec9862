import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '../../tools/install.mjs';
import { kill, processesOf } from './processes.mjs';

/** `RestartSec` of the units. */
const RESTART_MS = 2_000;
const RUN_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;
/** Patroni stores PostgreSQL passwords in its home folder. */
const PATRONI_HOME = '/run/postgresql';
const CLEAN_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/**
 * One machine of the cluster; restarts its services as systemd does. Subclasses in the folder machines isolate it:
 * they set up and tear down, and have `network` (see processesOf) and `enter` (wraps a command so that it runs on the
 * machine).
 */
export class Machine {
  #services = new Map();
  #isOff = false;

  /** @param folder for its files */
  constructor({ name, address, folder }) {
    Object.assign(this, { name, address, folder });
    for (const directory of ['etc', 'lib/postgresql', 'log']) {
      mkdirSync(join(folder, directory), { recursive: true, mode: 0o755 });
    }
  }

  /** Replaces paths of the deployment files in a text by those of this machine. */
  localize(text) {
    return text;
  }

  /** Environment of all processes. */
  get environment() {
    return { ...CLEAN_ENVIRONMENT, HOME: this.localize(PATRONI_HOME) };
  }

  /** Runs a command. @returns standard output @throws {UserError} it failed or timed out */
  async run(args, { user, env, input = '' } = {}) {
    const options = { env: { ...this.environment, ...env }, timeout: RUN_TIMEOUT_MS, killSignal: 'SIGKILL' };
    const [command, ...commandArgs] = this.enter(this.#localized(args), { user });
    const child = spawn(command, commandArgs, options);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const status = await new Promise((resolve) => child.once('close', resolve));
    if (status === 0) return output.stdout;
    throw new UserError(`${args.join(' ')} on ${this.name}: ${output.stderr.trim() || 'timeout'}`);
  }

  /**
   * Starts a service and restarts it when it exits.
   * @param options `command`, `env`, `user`; working `directory`; `niceness` relative to this process
   */
  start(name, options) {
    const service = { name, options, isEnabled: true, child: undefined, timer: undefined };
    this.#services.set(name, service);
    this.#launch(service);
  }

  #launch(service) {
    const { name, options } = service;
    const { command, env, user, directory = '/', niceness = 0 } = options;
    const shellCommand = ['nice', '-n', String(niceness), 'sh', '-c', 'cd "$0" && exec "$@"', directory, ...command];
    const [program, ...args] = this.enter(this.#localized(shellCommand), { user });
    const log = createWriteStream(join(this.folder, 'log', `${name}.log`), { flags: 'a' });
    const variables = Object.entries(env ?? {}).map(([key, value]) => [key, this.localize(value)]);
    const child = spawn(program, args, {
      env: { ...this.environment, ...Object.fromEntries(variables) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    service.child = child;
    service.ended = new Promise((resolve) => {
      // Not `close`: PostgreSQL keeps the output of a killed Patroni open.
      child.once('exit', () => {
        resolve();
        if (service.child === child && service.isEnabled && !this.#isOff)
          service.timer = setTimeout(() => this.#launch(service), RESTART_MS);
      });
    });
  }

  /** Changes the options of the next start. */
  change(name, options) {
    this.#services.get(name).options = options;
  }

  /** Sends a signal to a service; it is restarted when it exits. */
  signal(name, signal) {
    const { child } = this.#services.get(name);
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return this.#services.get(name).ended;
  }

  /** Stops a service without restart. */
  async stop(name) {
    const service = this.#services.get(name);
    if (!service) return;
    service.isEnabled = false;
    clearTimeout(service.timer);
    const killTimer = setTimeout(() => service.child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.signal(name, 'SIGTERM');
    clearTimeout(killTimer);
  }

  /** Whether a service was started and not stopped since. */
  isRunning(name) {
    return this.#services.get(name)?.isEnabled ?? false;
  }

  /** Disables the restart of a service. */
  hold(name) {
    this.#services.get(name).isEnabled = false;
  }

  /** Starts a held service again. */
  resume(name) {
    const service = this.#services.get(name);
    service.isEnabled = true;
    this.#launch(service);
  }

  /** Kills all processes, like a power loss; off until {@link powerOn}. */
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
    for (const service of this.#services.values()) if (service.isEnabled) this.#launch(service);
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

  /** Kills all processes permanently. */
  async tearDown() {
    this.thaw();
    for (const service of this.#services.values()) service.isEnabled = false;
    await this.powerOff();
  }

  #localized(args) {
    return args.map((argument) => this.localize(argument));
  }
}
