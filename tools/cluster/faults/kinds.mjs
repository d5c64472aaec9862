import { setTimeout as wait } from 'node:timers/promises';
import { PATRONI_PORT } from '../postgres.mjs';

/** Longer than the lease of Patroni's leader, `ttl`. */
const BEYOND_LEASE_MS = 26_000;
const SHORT_MS = 8_000;

/**
 * The faults of the tour. Each is injected, held and healed; `leaderDies`: PostgreSQL has to find another leader, and the first
 * money command has 30 s.
 */
export const KINDS = {
  'node killed': { run: ({ node }) => node.signal('krapao', 'SIGKILL') },
  'node drained': { run: ({ node }) => node.signal('krapao', 'SIGTERM') },
  'node frozen': { run: ({ node }) => frozen(node, SHORT_MS) },
  'node cut off': { run: ({ node }) => cutOff(node, SHORT_MS) },
  'rolling restart': { run: rollingRestart },
  'backends terminated': { run: terminateBackends },
  'postmaster killed': { run: killPostmaster, leaderDies: true },
  'leader killed': { run: ({ leader }) => poweredOff(leader, BEYOND_LEASE_MS), leaderDies: true },
  'Patroni killed': { run: killPatroni, leaderDies: true },
  'leader frozen': { run: ({ leader }) => frozen(leader, BEYOND_LEASE_MS), leaderDies: true },
  'leader cut off': { run: ({ leader }) => cutOff(leader, BEYOND_LEASE_MS), leaderDies: true },
  switchover: { run: switchover, leaderDies: true },
  'standby killed': { run: ({ standby }) => poweredOff(standby, SHORT_MS) },
  'leader read-only': { run: readOnly },
  'disk full': { run: fillDisk },
  'etcd gone': { run: stopEtcd },
};

async function frozen(machine, ms) {
  machine.freeze();
  await wait(ms);
  machine.thaw();
}

async function cutOff(machine, ms) {
  await machine.cutOff();
  await wait(ms);
  await machine.reconnect();
}

async function poweredOff(machine, ms) {
  await machine.powerOff();
  await wait(ms);
  machine.powerOn();
}

async function rollingRestart({ cluster: { nodes } }) {
  for (const machine of nodes.machines) {
    await machine.signal('krapao', 'SIGTERM');
    await wait(1_000);
    await nodes.ready(machine);
    // The balancer takes it back after two checks.
    await wait(3_000);
  }
}

async function terminateBackends({ cluster: { postgres }, leader, random }) {
  const share = random.pick([0.2, 0.5, 1]);
  const which = `usename = 'krapao' and random() < ${share}`;
  await postgres.sql(leader, `select count(pg_terminate_backend(pid)) from pg_stat_activity where ${which}`);
}

async function killPostmaster({ leader }) {
  const pid = await leader.run(['head', '-1', '/var/lib/postgresql/krapao/postmaster.pid']);
  process.kill(Number(pid.trim()), 'SIGKILL');
}

// PostgreSQL goes on without it until another member is promoted.
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

async function readOnly({ cluster: { postgres }, leader }) {
  const set = async (value) => {
    await postgres.sql(leader, `alter system set default_transaction_read_only = ${value}`);
    await postgres.sql(leader, 'select pg_reload_conf()');
  };
  await set('on');
  await wait(SHORT_MS);
  await leader.run([
    'sh',
    '-c',
    `sed -i /default_transaction_read_only/d /var/lib/postgresql/krapao/postgresql.auto.conf`,
  ]);
  await postgres.sql(leader, 'select pg_reload_conf()');
}

async function fillDisk({ leader }) {
  const filler = '/var/lib/postgresql/filler';
  await leader.run(['sh', '-c', `cat /dev/zero > ${filler} 2>/dev/null || true`]);
  await wait(SHORT_MS);
  await leader.run(['rm', '-f', filler]);
}

async function stopEtcd({ cluster: { postgres } }) {
  for (const machine of postgres.machines) void machine.signal('etcd', 'SIGSTOP');
  await wait(BEYOND_LEASE_MS);
  for (const machine of postgres.machines) void machine.signal('etcd', 'SIGCONT');
}
