import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { type Api, apiClient } from '../harness/api-client.ts';
import { bankTransfer } from '../harness/bank.ts';
import { type DatabaseLine, databaseLine } from '../harness/database-line.ts';
import { freePort } from '../harness/free-port.ts';
import { eventually } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { testOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulatorsProcess } from '../harness/simulators.ts';
import { commitOnBoth, makeStandby } from '../harness/standby.ts';

const SCB = { bankCode: 'SCB', accountNo: '4680001234' };
/** What waits behind a commit that waits for the standby is ended within the test. */
const STATEMENT_LIMIT_MS = 3_000;

export type Node = { api: Api; server: ServerProcess; line: DatabaseLine };

/** Two nodes on a primary with a synchronous standby, each node and the standby by a line of its own. */
export type FailoverWorld = {
  folder: string;
  world: Api;
  primary: EmbeddedPostgres;
  standby: EmbeddedPostgres;
  replication: DatabaseLine;
  nodes: [Node, Node];
  stop(): Promise<void>;
};

export async function startFailoverWorld(): Promise<FailoverWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-failover-'));
  chmodSync(folder, 0o755);
  const launch = (name: string) =>
    launchEmbeddedPostgres({
      directory: join(folder, name),
      durable: false,
      settings: { synchronous_commit: 'on' },
    });
  const [port, otherPort, simulatorsPort] = [await freePort(), await freePort(), await freePort()];
  const outside = testOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  const outsideFile = join(folder, 'outside.json');
  writeOutside(outsideFile, outside);
  const [primary, simulators] = await Promise.all([
    launch('primary'),
    startSimulatorsProcess(simulatorsPort, outsideFile, join(folder, 'simulators.log')),
  ]);
  const replication = await databaseLine(primary.url);
  const startNode = async (at: number): Promise<Node> => {
    const line = await databaseLine(primary.url);
    const databaseUrl = `${line.url}?statement_timeout=${STATEMENT_LIMIT_MS}`;
    const server = await startServerProcess({ databaseUrl, outside }, 'warn', undefined, { PORT: String(at) });
    return { api: apiClient(server.url), server, line };
  };
  const nodes: [Node, Node] = [await startNode(port), await startNode(otherPort)];
  await makeStandby(primary, join(folder, 'primary'), join(folder, 'standby'), replication.url);
  const standby = await launch('standby');
  await commitOnBoth(primary);
  return {
    folder,
    world: apiClient(`http://127.0.0.1:${simulatorsPort}`),
    primary,
    standby,
    replication,
    nodes,
    async stop() {
      for (const { line } of nodes) line.thaw();
      replication.thaw();
      for (const { server } of nodes) await server.stop();
      for (const { line } of nodes) line.close();
      replication.close();
      await standby.stop();
      await primary.stop();
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Doors = { api: Api; world: Api };

/** A member whose money came by a transfer to our account, so that the bank's statement has it too. */
export async function memberWithMoney(doors: Doors, amount: number): Promise<TestMember> {
  const member = await registerMember(doors);
  await arrive(doors, member, amount);
  await eventually(
    'the deposit',
    async () => (await doors.api('GET /api/wallet', { token: member.token })).body.wallet?.amount as number,
    (found) => found === amount,
  );
  return member;
}

/** Money of a member arrives at our account. */
export async function arrive(doors: Doors, member: TestMember, amount: number): Promise<void> {
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  await bankTransfer(doors, { from, to: SCB, amount: amount.toFixed(2) });
}
