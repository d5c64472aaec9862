import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../../../lab/cluster/faults/random.mjs';
import { NamespaceMachine } from '../../../lab/cluster/machines/in-namespaces.mjs';
import { LoopbackMachine } from '../../../lab/cluster/machines/on-loopback.mjs';
import { Nodes } from '../../../lab/cluster/nodes.mjs';
import { Postgres } from '../../../lab/cluster/postgres.mjs';

const folder = mkdtempSync(join(tmpdir(), 'krapao-cluster-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 'any.json');
writeFileSync(file, '{}');
const authority = { certificate: file, issue: () => ({ key: file, certificate: file }) };
const newMachine = (name, address) => new NamespaceMachine({ name, address, folder: join(folder, name) });

test('every server of a cluster has its own name and addresses in the deployment files', () => {
  const machines = [21, 22, 23].map((host, index) => newMachine(`pg${index + 1}`, `10.213.0.${host}`));
  const postgres = new Postgres(machines, { authority, balancer: '10.213.0.10', clients: '10.213.0.0/24', folder });
  const config = readFileSync(join(folder, 'pg2/etc/patroni/config.yml'), 'utf8');
  assert.match(config, /^name: pg2$/m);
  assert.match(config, /listen: 10\.213\.0\.22:5432/);
  assert.ok(!/REPLACE|10\.0\.0\./.test(config));
  assert.ok(config.includes(`password: ${postgres.passwords.replicator}`));
  const { etcd } = postgres.machines[2];
  assert.equal(etcd.ETCD_NAME, 'pg3');
  assert.equal(etcd.ETCD_LISTEN_PEER_URLS, 'http://10.213.0.23:2380');
  assert.match(etcd.ETCD_INITIAL_CLUSTER, /^pg1=http:\/\/10\.213\.0\.21:2380,pg2=/);
});

test('every node of a cluster is started by the unit with the settings of deploy/systemd/krapao.env', () => {
  const machines = [11, 12].map((host, index) => newMachine(`node${index + 1}`, `10.213.0.${host}`));
  const files = { secretsFile: file, outsideFile: file, balancer: '10.213.0.10', proxy: '10.213.0.10' };
  const nodes = new Nodes(machines, { authority, publicUrl: 'https://10.213.0.10', password: 'p', ...files, env: {} });
  const { command, env, directory } = nodes.machines[1].service;
  assert.equal(command.at(-1), 'server/src/main.ts');
  assert.equal(directory, '/opt/krapao');
  assert.equal(env.HOST, '10.213.0.12');
  assert.equal(env.NODE_ENV, 'production');
  assert.match(env.DATABASE_URL, /^postgresql:\/\/krapao:p@10\.213\.0\.10:5000\/krapao\?sslmode=verify-full/);
  assert.equal(env.S3_BUCKET, undefined);
});

test('without namespaces a machine has its own folders instead of the paths of the deployment files', async () => {
  const [pg1] = [new LoopbackMachine({ name: 'pg1', address: '127.213.0.21', folder: join(folder, 'loopback/pg1') })];
  await pg1.setUp();
  try {
    new Postgres([pg1], { authority, balancer: '127.213.0.10', clients: '127.0.0.1/32', folder });
    const config = readFileSync(join(pg1.folder, 'etc/patroni/config.yml'), 'utf8');
    assert.match(config, /listen: 127\.213\.0\.21:5432/);
    assert.ok(!/ \/(etc|var|run)\//.test(config.replaceAll(/^ *#.*$/gm, '')), config);
    assert.ok(config.includes(`data_dir: ${pg1.folder}/lib/postgresql/krapao`));
    assert.ok(config.includes('hostssl krapao krapao 127.0.0.1/32 scram-sha-256'));
    const runningCommand = pg1.run(['sh', '-c', 'read line; echo /etc/krapao/ca.crt'], { input: '\n' });
    assert.equal((await runningCommand).trim(), `${pg1.folder}/etc/krapao/ca.crt`);
    pg1.start('sleeper', { command: ['sleep', '600'] });
    while (pg1.processes().length === 0) await wait(10);
    assert.equal(pg1.processes().length, 1);
  } finally {
    await pg1.tearDown();
  }
  assert.deepEqual(pg1.processes(), []);
});

test('a seed always gives the same order of faults', () => {
  const shuffledOrder = () => seededRandom(7).shuffle(['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(shuffledOrder(), shuffledOrder());
  assert.notDeepEqual(shuffledOrder(), seededRandom(8).shuffle(['a', 'b', 'c', 'd', 'e']));
});
