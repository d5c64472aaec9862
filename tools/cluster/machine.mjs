import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT, Sentence } from '../install.mjs';

/** As `RestartSec` of the units. */
const RESTART_MS = 2_000;
const RUN_WITHIN_MS = 20_000;
const STOP_PATIENCE_MS = 15_000;
const CLEAN = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', HOME: '/tmp' };

/** /etc with additions, /opt/krapao, /var/lib and /run of its own: the paths of the deployment files hold as they are. */
const MOUNTS = `
set -e
ip link set lo up
mount -t overlay overlay -o lowerdir=/etc,upperdir=$F/etc,workdir=$F/etc.work /etc
if [ -n "$TMPFS" ]; then mount -t tmpfs -o size=$TMPFS tmpfs $F/lib/postgresql; fi
mount --bind $ROOT $F/opt/krapao
if [ -n "$OLDER" ]; then
  mkdir -p $F/opt/krapao-older $OLDER/node_modules $OLDER/web/dist
  mount --bind $OLDER $F/opt/krapao-older
  mount --bind $ROOT/node_modules $F/opt/krapao-older/node_modules
  mount --bind $ROOT/web/dist $F/opt/krapao-older/web/dist
fi
mount --rbind $F/opt /opt
mount --rbind $F/lib /var/lib
mount --bind $F/run /run
`;

/**
 * One machine of the cluster: namespaces of the network and of mounts, and services that are restarted as systemd would.
 * Killing, freezing and cutting it off hit all processes in its network namespace.
 */
export class Machine {
  #anchor;
  #services = new Map();
  #isOff = false;

  /**
   * @param wish `name`; `address` in the network of `bridge`; `folder` of its files; `tmpfs`: size of a PostgreSQL disk in memory;
   *   `older`: folder of an older version of the product
   */
  constructor({ name, address, folder, bridge, tmpfs, older }) {
    Object.assign(this, { name, address, folder, bridge, tmpfs, older });
    for (const one of ['etc', 'etc.work', 'opt/krapao', 'lib/postgresql', 'run/postgresql', 'log']) {
      mkdirSync(join(folder, one), { recursive: true, mode: 0o755 });
    }
  }

  /** Makes the namespaces, and connects them with the bridge. */
  async setUp() {
    // Ends with this process: its standard input does.
    this.#anchor = spawn('unshare', ['--net', '--mount', 'cat'], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    const own = readlinkSync('/proc/self/ns/net');
    while (this.namespace === undefined || this.namespace === own) await wait(10);
    const [outer, inner] = [`${this.bridge}-${this.name}`, `${this.bridge}+${this.name}`];
    // The kernel removes those of an earlier cluster a while after its end.
    spawnSync('ip', ['link', 'del', outer]);
    mustRun('ip', ['link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', String(this.#anchor.pid)]);
    mustRun('ip', ['link', 'set', outer, 'master', this.bridge, 'up']);
    await this.run([
      'sh',
      '-c',
      `ip link set ${inner} name eth0 && ip addr add ${this.address}/24 dev eth0 && ip link set eth0 up`,
    ]);
    const env = { ROOT, F: this.folder, TMPFS: this.tmpfs ?? '', OLDER: this.older ?? '' };
    await this.run(['sh', '-c', MOUNTS], { env });
  }

  /** Network namespace as the kernel names it. */
  get namespace() {
    return namespaceOf(this.#anchor.pid);
  }

  /** Runs a command to its end. @returns standard output @throws {Sentence} it failed, or took too long */
  async run(words, { user, env, input = '' } = {}) {
    const options = { env: { ...CLEAN, ...env }, timeout: RUN_WITHIN_MS, killSignal: 'SIGKILL' };
    const child = spawn('nsenter', this.#enter(words, { user }), options);
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
    const words = ['nice', '-n', String(niceness), 'sh', '-c', 'cd "$0" && exec "$@"', directory, ...command];
    const log = createWriteStream(join(this.folder, 'log', `${name}.log`), { flags: 'a' });
    const child = spawn('nsenter', this.#enter(words, { user }), {
      env: { ...CLEAN, ...env },
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

  /** Drops every packet from and to this machine, without a reset. */
  async cutOff() {
    await this.run(['nft', '-f', '-'], {
      input: `table inet cut {
        chain in { type filter hook input priority 0; iifname "eth0" drop; }
        chain out { type filter hook output priority 0; oifname "eth0" drop; }
      }`,
    });
  }

  async reconnect() {
    await this.run(['nft', 'delete', 'table', 'inet', 'cut']);
  }

  /** All processes of this machine but its anchor. */
  processes() {
    return processesOf(this.namespace).filter((pid) => pid !== this.#anchor.pid);
  }

  /** Ends what is left, and the namespaces with it. */
  async tearDown() {
    if (!this.#anchor) return;
    this.thaw();
    for (const service of this.#services.values()) service.isWanted = false;
    await this.powerOff();
    this.#anchor.kill('SIGKILL');
  }

  #enter(words, { user }) {
    const target = this.#anchor.pid;
    const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
    return [`--net=/proc/${target}/ns/net`, `--mount=/proc/${target}/ns/mnt`, ...as, ...words];
  }
}

/** Every process in a network namespace, named as the kernel does. */
export function processesOf(namespace) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => namespace !== undefined && namespaceOf(pid) === namespace);
}

function namespaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Ended meanwhile.
  }
}

/** @returns standard output @throws {Sentence} with what it wrote to standard error */
export function mustRun(command, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new Sentence(`${command} ${words.join(' ')}\n${error?.message ?? stderr.trim()}`);
}
