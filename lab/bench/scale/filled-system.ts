import { join } from 'node:path';
import pg from 'pg';
import { makeMembers } from '../product/members.ts';
import type { Tree } from '../product/rounds.ts';
import { startSystem, type System } from '../product/system.ts';
import { type Closing, say } from '../run-to-end.ts';
import { fill, filledWith } from './fill/fill.ts';

const HERE = join(import.meta.dirname, '../../..');
const SIMULATORS_NICE = 19;

/** Starts a system with so many members, filled if it isn't yet, and bench members among them. */
export async function startFilled(
  members: number,
  folder: string,
  benchMembers: number,
  closing: Closing,
): Promise<Tree> {
  const data = join(folder, String(members));
  say(`starting a system for ${members} members …`);
  let started = await start(members, data, closing);
  const filled = await filledWith(started.system.operator);
  if (filled !== undefined && filled !== members) throw new Error(`${data} is filled with ${filled} members`);
  if (filled === undefined) {
    const { system } = started;
    await fill(
      () => connectLike(system),
      members,
      (line) => say(`  ${members}: ${line}`),
    );
    await started.stop();
    started = await start(members, data, closing);
  }
  const { system } = started;
  const { rows } = await system.operator.query<{ before: number }>(
    `select count(*)::int as before from member where phone like '08%'`,
  );
  const made = await makeMembers(system, benchMembers, rows[0]?.before ?? 0);
  closing.push(async () => made.forEach(({ socket }) => socket.close()));
  return { system, members: made };
}

async function start(
  members: number,
  data: string,
  closing: Closing,
): Promise<{ system: System; stop: () => Promise<void> }> {
  const own: Closing = [];
  const stop = async (): Promise<void> => {
    for (const close of own.splice(0).toReversed()) await close();
  };
  closing.push(stop);
  const system = await startSystem({
    name: String(members),
    root: HERE,
    data,
    nice: SIMULATORS_NICE,
    apiProcesses: 1,
    onLaunched: (ended) => own.push(ended),
  });
  own.push(() => system.close());
  return { system, stop };
}

/** Another connection to the same database, as the same user. */
async function connectLike({ operator: { host, user, database } }: System): Promise<pg.Client> {
  const client = new pg.Client({ host, user, database, application_name: 'bench' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
