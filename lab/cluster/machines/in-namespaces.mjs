import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../../../tools/install.mjs';
import { Machine } from '../machine.mjs';
import { mustRun, namespaceOf } from '../processes.mjs';

/** Names of interfaces have at most 15 characters. */
export const BRIDGE = 'krapao';

/** Own /etc overlay, /opt/krapao, /var/lib and /run: paths of the deployment files stay valid. */
const MOUNT_SCRIPT = `
set -e
ip link set lo up
mount -t overlay overlay -o lowerdir=/etc,upperdir=$F/etc,workdir=$F/etc.work /etc
if [ -n "$TMPFS" ]; then mount -t tmpfs -o size=$TMPFS tmpfs $F/lib/postgresql; fi
if [ -n "$PROGRAM" ]; then mkdir -p $F/opt/krapao; mount --bind $PROGRAM $F/opt/krapao; fi
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
 * A machine in network and mount namespaces. Faults affect all processes in its network namespace.
 */
export class NamespaceMachine extends Machine {
  #anchor;

  /**
   * @param options of {@link Machine}; `tmpfs`: size of a PostgreSQL disk in memory; `older`: folder of an older version
   */
  constructor({ tmpfs, older, ...options }) {
    super(options);
    Object.assign(this, { tmpfs, older });
    for (const directory of ['etc.work', 'opt', 'run/postgresql']) {
      mkdirSync(join(this.folder, directory), { recursive: true, mode: 0o755 });
    }
  }

  /** Creates the namespaces and connects them to the bridge. */
  async setUp() {
    // Ends with this process, which holds its standard input.
    this.#anchor = spawn('unshare', ['--net', '--mount', 'cat'], {
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    const host = namespaceOf('self');
    while (this.network === undefined || this.network === host) await wait(10);
    const [outerInterface, innerInterface] = [`${BRIDGE}-${this.name}`, `${BRIDGE}+${this.name}`];
    // The kernel removes interfaces of an earlier cluster with a delay.
    spawnSync('ip', ['link', 'del', outerInterface]);
    mustRun('ip', [
      'link',
      'add',
      outerInterface,
      'type',
      'veth',
      'peer',
      'name',
      innerInterface,
      'netns',
      String(this.#anchor.pid),
    ]);
    mustRun('ip', ['link', 'set', outerInterface, 'master', BRIDGE, 'up']);
    await this.run([
      'sh',
      '-c',
      `ip link set ${innerInterface} name eth0 && ip addr add ${this.address}/24 dev eth0 && ip link set eth0 up`,
    ]);
    const env = { ROOT, PROGRAM: this.program, F: this.folder, TMPFS: this.tmpfs ?? '', OLDER: this.older ?? '' };
    await this.run(['sh', '-c', MOUNT_SCRIPT], { env });
  }

  /** Folder mounted as /opt/krapao; empty: none. */
  get program() {
    return ROOT;
  }

  /** Process whose namespaces are this machine's. */
  get anchorPid() {
    return this.#anchor.pid;
  }

  get network() {
    return namespaceOf(this.#anchor.pid);
  }

  enter(args, { user } = {}) {
    const target = this.#anchor.pid;
    const userPrefix = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
    return ['nsenter', `--net=/proc/${target}/ns/net`, `--mount=/proc/${target}/ns/mnt`, ...userPrefix, ...args];
  }

  /** Drops all packets of this machine without a reset. */
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

  processes() {
    return super.processes().filter((pid) => pid !== this.#anchor.pid);
  }

  /** The namespaces end with their last process. */
  async tearDown() {
    if (!this.#anchor) return;
    await super.tearDown();
    this.#anchor.kill('SIGKILL');
  }
}
