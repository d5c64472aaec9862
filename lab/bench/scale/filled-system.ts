import { join } from 'node:path';
import pg from 'pg';
import { createMembers } from '../product/members.ts';
import type { Tree } from '../product/rounds.ts';
import { startSystem, type System } from '../product/system.ts';
import { type StopFunctions, log } from '../run-to-end.ts';
import { fill, filledMembers } from './fill/fill.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SIMULATORS_NICE = 19;

/** Starts a system with a history of `members`, filled on first use, and adds active members. */
export async function startFilled(
  members: number,
  folder: string,
  activeMembers: number,
  stopFunctions: StopFunctions,
): Promise<Tree> {
  const data = join(folder, String(members));
  log(`starting a system for ${members} members …`);
  let startedSystem = await start(members, data, stopFunctions);
  const filledCount = await filledMembers(startedSystem.system.operator);
  if (filledCount !== undefined && filledCount !== members)
    throw new Error(`${data} is filled with ${filledCount} members`);
  if (filledCount === undefined) {
    const { system } = startedSystem;
    await fill(
      () => openConnection(system),
      members,
      (line) => log(`  ${members}: ${line}`),
    );
    await startedSystem.stop();
    startedSystem = await start(members, data, stopFunctions);
  }
  const { system } = startedSystem;
  const { rows } = await system.operator.query<{ before: number }>(
    `select count(*)::int as before from member where phone like '08%'`,
  );
  const activeMembersList = await createMembers(system, activeMembers, rows[0]?.before ?? 0);
  stopFunctions.push(async () => activeMembersList.forEach(({ socket }) => socket.close()));
  return { system, members: activeMembersList };
}

async function start(
  members: number,
  data: string,
  stopFunctions: StopFunctions,
): Promise<{ system: System; stop: () => Promise<void> }> {
  const ownStops: StopFunctions = [];
  const stop = async (): Promise<void> => {
    for (const close of ownStops.splice(0).toReversed()) await close();
  };
  stopFunctions.push(stop);
  const system = await startSystem({
    name: String(members),
    root: ROOT,
    data,
    nice: SIMULATORS_NICE,
    apiProcesses: 1,
    onLaunched: (stopLaunched) => ownStops.push(stopLaunched),
  });
  ownStops.push(() => system.close());
  return { system, stop };
}

/** Opens another connection with the same user and database. */
async function openConnection({ operator: { host, user, database } }: System): Promise<pg.Client> {
  const client = new pg.Client({ host, user, database, application_name: 'bench' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
