import { setTimeout as wait } from 'node:timers/promises';
import { PATRONI_PORT } from '../../postgres.mjs';
import { cutOff, freeze, powerCycle } from './machine-faults.mjs';

/** Longer than the lease of Patroni's leader (`ttl`). */
const BEYOND_LEASE_MS = 26_000;
const SHORT_FAULT_MS = 8_000;
/** Patroni accepts a leader without standbys in its next round (`loop_wait`). */
const NEXT_ROUND_MS = 12_000;
const DATA_DIRECTORY = '/var/lib/postgresql/krapao';

/**
 * Faults of PostgreSQL, Patroni, etcd and the balancer; each is injected, held and healed. `leaderDies`: another leader is needed,
 * and the first money command must succeed within 30 s. `isStrict`: required mode of Patroni; otherwise the seed decides.
 */
export const DATABASE_FAULTS = {
  'postmaster killed': { run: ({ leader }) => killPostmaster(leader), leaderDies: true },
  'leader killed': { run: ({ leader }) => powerCycle(leader, BEYOND_LEASE_MS), leaderDies: true },
  'Patroni killed': { run: killPatroni, leaderDies: true },
  'leader frozen': { run: ({ leader }) => freeze(leader, BEYOND_LEASE_MS), leaderDies: true },
  'leader cut off': { run: ({ leader }) => cutOff(leader, BEYOND_LEASE_MS), leaderDies: true },
  switchover: { run: switchover, leaderDies: true },
  'standby killed': { run: ({ standby }) => powerCycle(standby, SHORT_FAULT_MS) },
  'standby frozen': { run: ({ standby }) => freeze(standby, SHORT_FAULT_MS) },
  'standby cut off': { run: ({ standby }) => cutOff(standby, SHORT_FAULT_MS) },
  'strict without standby': { run: stopStandbys, isStrict: true },
  'not strict without standby': { run: stopStandbys, isStrict: false },
  'leader read-only': { run: makeReadOnly },
  'disk full': { run: ({ leader }) => fillDisk(leader) },
  'disk of a standby full': { run: ({ standby }) => fillDisk(standby) },
  'etcd gone': { run: stopEtcd },
  'etcd member killed': { run: ({ leader }) => void leader.signal('etcd', 'SIGKILL') },
  'balancer killed': { run: ({ cluster: { balancer } }) => balancer.signal('haproxy', 'SIGKILL') },
};

async function killPostmaster(machine) {
  const pid = await machine.run(['head', '-1', `${DATA_DIRECTORY}/postmaster.pid`]);
  process.kill(Number(pid.trim()), 'SIGKILL');
}

// PostgreSQL keeps running without Patroni until another member is promoted.
async function killPatroni({ leader }) {
  void leader.signal('patroni', 'SIGKILL');
  leader.hold('patroni');
  await wait(BEYOND_LEASE_MS);
  leader.resume('patroni');
}

async function switchover({ leader }) {
  const url = `http://${leader.address}:${PATRONI_PORT}/switchover`;
  await fetch(url, { method: 'POST', body: JSON.stringify({ leader: leader.name }) });
}

// Stops only PostgreSQL: etcd keeps its quorum. In strict mode commits wait, otherwise the leader acknowledges alone.
async function stopStandbys({ cluster: { postgres }, leader }) {
  const standbys = postgres.machines.filter((machine) => machine !== leader);
  for (const standby of standbys) {
    standby.hold('patroni');
    void standby.signal('patroni', 'SIGKILL');
    await killPostmaster(standby);
  }
  await wait(NEXT_ROUND_MS);
  for (const standby of standbys) standby.resume('patroni');
}

async function makeReadOnly({ cluster: { postgres }, leader }) {
  await postgres.sql(leader, 'alter system set default_transaction_read_only = on');
  await postgres.sql(leader, 'select pg_reload_conf()');
  await wait(SHORT_FAULT_MS);
  await leader.run(['sed', '-i', '/default_transaction_read_only/d', `${DATA_DIRECTORY}/postgresql.auto.conf`]);
  await postgres.sql(leader, 'select pg_reload_conf()');
}

// Allocates 98 % first, because writing gigabytes is slow; the server writes concurrently.
const FILL_SCRIPT = `cd /var/lib/postgresql
fallocate -l $(($(df --output=avail -B1 . | tail -1) * 98 / 100)) filler
cat /dev/zero >> filler 2>/dev/null || true`;

async function fillDisk(machine) {
  try {
    await machine.run(['sh', '-c', FILL_SCRIPT]);
    await wait(SHORT_FAULT_MS);
  } finally {
    await machine.run(['rm', '-f', '/var/lib/postgresql/filler']);
  }
}

async function stopEtcd({ cluster: { postgres } }) {
  for (const machine of postgres.machines) void machine.signal('etcd', 'SIGSTOP');
  await wait(BEYOND_LEASE_MS);
  for (const machine of postgres.machines) void machine.signal('etcd', 'SIGCONT');
}
