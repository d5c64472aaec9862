import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { UserError } from '../../tools/install.mjs';
import { deployFile, parseEnvironment, putFile } from './files.mjs';

const POSTGRES_USER = 'postgres';
const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 250;
const REQUEST_TIMEOUT_MS = 2_000;
export const PATRONI_PORT = 8008;
/** Three servers share a small machine. */
export const SMALLER_SERVERS = [
  ['shared_buffers: 4GB', 'shared_buffers: 128MB'],
  ['max_wal_size: 8GB', 'max_wal_size: 256MB'],
  ['max_connections: 400', 'max_connections: 200'],
];

/** PostgreSQL under Patroni with etcd on several machines. */
export class Postgres {
  /** @param balancer address that clients use; certificates include it @param clients network of the clients */
  constructor(machines, { authority, balancer, clients, folder }) {
    this.machines = machines;
    this.passwords = passwordsIn(folder);
    for (const machine of machines) this.#install(machine, { authority, balancer, clients });
  }

  #install(machine, { authority, balancer, clients }) {
    const { name, address } = machine;
    const firstAddress = this.machines[0].address;
    const { key, certificate } = authority.issue(name, [address, balancer]);
    const config = deployFile('patroni/patroni.yml', machine, [
      ['name: pg1', `name: ${name}`],
      [`${firstAddress}:8008`, `${address}:8008`],
      [`${firstAddress}:5432`, `${address}:5432`],
      ['username: postgres, password: REPLACE', `username: postgres, password: ${this.passwords.postgres}`],
      ['username: replicator, password: REPLACE', `username: replicator, password: ${this.passwords.replicator}`],
      ['username: rewind, password: REPLACE', `username: rewind, password: ${this.passwords.rewind}`],
      [`${subnetOf(firstAddress)} scram`, `${clients} scram`],
      // Without root, Patroni runs as another user and the socket has its own folder.
      ['local all postgres peer', `local all postgres ${process.getuid() === 0 ? 'peer' : 'trust'}`],
      ["    ssl: 'on'\n", "    ssl: 'on'\n    unix_socket_directories: /run/postgresql\n"],
      ...SMALLER_SERVERS,
    ]);
    putFile(machine, 'etc/patroni/config.yml', config);
    putFile(machine, 'etc/patroni/server.crt', readFileSync(certificate));
    putFile(machine, 'etc/patroni/server.key', readFileSync(key));
    const etcdSettings = deployFile('patroni/etcd.env', machine, [
      ['ETCD_NAME=pg1', `ETCD_NAME=${name}`],
      [`CLIENT_URLS=http://${firstAddress}`, `CLIENT_URLS=http://${address}`],
      [`PEER_URLS=http://${firstAddress}`, `PEER_URLS=http://${address}`],
    ]);
    putFile(machine, 'etc/default/etcd', etcdSettings);
    machine.etcd = parseEnvironment(etcdSettings);
  }

  async start() {
    for (const machine of this.machines) {
      const paths = ['/etc/patroni', '/var/lib/postgresql', '/var/lib/wal-archive', '/var/lib/etcd', '/run/postgresql'];
      await machine.run(['mkdir', '-p', '/var/lib/etcd', '/var/lib/wal-archive']);
      await machine.run(['chown', '-R', `${POSTGRES_USER}:`, ...paths]);
      await machine.run(['chmod', '600', '/etc/patroni/server.key', '/etc/patroni/config.yml']);
      const etcdSettings = { ...machine.etcd, ETCD_DATA_DIR: '/var/lib/etcd/default' };
      machine.start('etcd', { command: ['/usr/bin/etcd'], env: etcdSettings, user: POSTGRES_USER });
      machine.start('patroni', { command: ['/usr/bin/patroni', '/etc/patroni/config.yml'], user: POSTGRES_USER });
    }
  }

  /** Resolves with the leader when all others stream from it, one synchronously. @throws {UserError} timeout */
  async ready(timeoutMs = READY_TIMEOUT_MS) {
    for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
      const leader = await this.#complete();
      if (leader) return leader;
      await wait(POLL_MS);
    }
    const members = JSON.stringify(await this.members());
    throw new UserError(`PostgreSQL is incomplete after ${timeoutMs / 1_000} s: ${members}`);
  }

  /** Removes archived WAL; no restore uses it. */
  async emptyArchives() {
    // The archiver renames files concurrently.
    const emptyCommand = ['find', '/var/lib/wal-archive', '-ignore_readdir_race', '-type', 'f', '-delete'];
    await Promise.all(this.machines.map((machine) => machine.run(emptyCommand)));
  }

  /** Clones each standby that does not stream, like `patronictl reinit`. @returns their names */
  async reinitialize() {
    const leader = await this.leader();
    const streamingNames = leader ? await this.sql(leader, `select application_name from pg_stat_replication`) : '';
    const brokenMachines = this.machines.filter(
      (machine) => machine !== leader && !streamingNames.split('\n').includes(machine.name),
    );
    const options = { method: 'POST', body: JSON.stringify({ force: true }) };
    for (const machine of brokenMachines) await this.#request(machine, '/reinitialize', options);
    return brokenMachines.map(({ name }) => name);
  }

  /** The leader, if it replies and all others stream from it, one synchronously. */
  async #complete() {
    const leader = await this.leader();
    if (!leader) return undefined;
    const states = `select state, sync_state from pg_stat_replication where application_name like 'pg_'`;
    // Patroni may not have detected a crash of its server yet.
    const rows = (await this.sql(leader, states).catch(() => '')).split('\n');
    const isComplete = rows.length === this.machines.length - 1 && rows.every((row) => row.startsWith('streaming|'));
    if (!isComplete || !rows.some((row) => row.endsWith('|sync'))) return undefined;
    // Patroni promotes a standby only after recording it as synchronous.
    const isRecorded = (await this.members())?.some(({ role }) => role === 'sync_standby');
    return isRecorded ? leader : undefined;
  }

  /** Machine whose Patroni holds the leader lock and accepts writes, if any. */
  async leader() {
    const replies = await Promise.all(
      this.machines.map(async (machine) => ((await this.#request(machine, '/primary'))?.ok ? machine : undefined)),
    );
    return replies.find((machine) => machine !== undefined);
  }

  /** Members as listed by Patroni; undefined if no member replies. */
  async members() {
    for (const machine of this.machines) {
      const reply = await this.#request(machine, '/cluster');
      // The connection may break during the reply.
      const members = reply?.ok ? await reply.json().catch(() => undefined) : undefined;
      if (members) return members.members;
    }
    return undefined;
  }

  /** Changes the dynamic configuration, e.g. `{synchronous_mode_strict: false}`. @returns whether a member accepted it */
  async configure(change) {
    for (const machine of this.machines) {
      const reply = await this.#request(machine, '/config', { method: 'PATCH', body: JSON.stringify(change) });
      if (reply?.ok) return true;
    }
    return false;
  }

  async #request({ address }, path, options = {}) {
    const url = `http://${address}:${PATRONI_PORT}${path}`;
    return fetch(url, { ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).catch(() => undefined);
  }

  /** Runs SQL as superuser over the socket of a machine. @returns rows as text, fields separated by | */
  async sql(machine, text, database = 'postgres') {
    const args = [
      'psql',
      '-U',
      POSTGRES_USER,
      '-qAtX',
      '-v',
      'ON_ERROR_STOP=1',
      '-h',
      '/run/postgresql',
      '-d',
      database,
    ];
    return (await machine.run(args, { user: POSTGRES_USER, input: text })).trim();
  }

  /** Creates role and database of the product if they are missing. */
  async createDatabase(leader) {
    if ((await this.sql(leader, `select 1 from pg_database where datname = 'krapao'`)) === '1') return;
    await this.sql(leader, `create role krapao login password '${this.passwords.krapao}'`);
    await this.sql(leader, 'create database krapao owner krapao');
  }
}

const subnetOf = (address) => `${address.slice(0, address.lastIndexOf('.'))}.0/24`;

/** Passwords stored with the data; created on first use. */
function passwordsIn(folder) {
  const path = join(folder, 'passwords.json');
  if (!existsSync(path)) {
    const names = ['postgres', 'replicator', 'rewind', 'krapao'];
    const passwords = Object.fromEntries(names.map((name) => [name, randomBytes(18).toString('hex')]));
    writeFileSync(path, JSON.stringify(passwords), { mode: 0o600 });
    chmodSync(path, 0o600);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}
