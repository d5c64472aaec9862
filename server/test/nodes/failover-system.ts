import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { type Api, apiClient } from '../harness/api-client.ts';
import { bankTransfer } from '../harness/bank.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { freePort } from '../harness/free-port.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { buildTestOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulatorsProcess } from '../harness/simulators.ts';
import { waitForStandbyOnCommit, makeStandby } from '../harness/standby.ts';

const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };
/** Ends statements that wait for the standby within the test. */
const STATEMENT_LIMIT_MS = 3_000;

export type ServerNode = { api: Api; server: ServerProcess; databaseProxy: DatabaseProxy };

/** Two nodes on a primary with a synchronous standby, each node and the standby by a line of its own. */
export type FailoverSystem = {
  folder: string;
  simulatorsApi: Api;
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  replication: DatabaseProxy;
  nodes: [ServerNode, ServerNode];
  stop(): Promise<void>;
};

export async function startFailoverSystem(): Promise<FailoverSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-failover-'));
  chmodSync(folder, 0o755);
  const launch = (name: string) =>
    launchEmbeddedPostgres({
      directory: join(folder, name),
      durable: false,
      settings: { synchronous_commit: 'on' },
    });
  const [port, otherPort, simulatorsPort] = [await freePort(), await freePort(), await freePort()];
  const outside = buildTestOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  const outsideFile = join(folder, 'outside.json');
  writeOutside(outsideFile, outside);
  const [primary, simulators] = await Promise.all([
    launch('primary'),
    startSimulatorsProcess(simulatorsPort, outsideFile, join(folder, 'simulators.log')),
  ]);
  const replication = await startDatabaseProxy(primary.url);
  const startNode = async (nodeIndex: number): Promise<ServerNode> => {
    const databaseProxy = await startDatabaseProxy(primary.url);
    const databaseUrl = `${databaseProxy.url}?statement_timeout=${STATEMENT_LIMIT_MS}`;
    const server = await startServerProcess({ databaseUrl, outside }, 'warn', undefined, { PORT: String(nodeIndex) });
    return { api: apiClient(server.url), server, databaseProxy };
  };
  const nodes: [ServerNode, ServerNode] = [await startNode(port), await startNode(otherPort)];
  await makeStandby(primary, join(folder, 'primary'), join(folder, 'standby'), replication.url);
  const standby = await launch('standby');
  await waitForStandbyOnCommit(primary);
  return {
    folder,
    simulatorsApi: apiClient(`http://127.0.0.1:${simulatorsPort}`),
    primary,
    standby,
    replication,
    nodes,
    async stop() {
      for (const { databaseProxy } of nodes) databaseProxy.thaw();
      replication.thaw();
      for (const { server } of nodes) await server.stop();
      for (const { databaseProxy: line } of nodes) line.close();
      replication.close();
      await standby.stop();
      await primary.stop();
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Clients = { api: Api; simulatorsApi: Api };

/** A member with money from a bank transfer, so that the bank's statement contains it too. */
export async function newMemberWithMoney(clients: Clients, amount: number): Promise<TestMember> {
  const member = await registerMember(clients);
  await transferFromBank(clients, member, amount);
  await waitUntilResult(
    'the deposit',
    async () => (await clients.api('GET /api/wallet', { token: member.token })).body.wallet?.amount as number,
    (foundAmount) => foundAmount === amount,
  );
  return member;
}

/** Money of a member arrives at our account. */
export async function transferFromBank(clients: Clients, member: TestMember, amount: number): Promise<void> {
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  await bankTransfer(clients, { from, to: SCB_ACCOUNT, amount: amount.toFixed(2) });
}
