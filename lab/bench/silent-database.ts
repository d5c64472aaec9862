// `npm run lab -- bench silence [ROUNDS]`: how soon calls are answered when every packet between a server and its database is
// dropped without a reset, how soon the readiness check answers, and how soon all is well again. Callers read, write and
// move money at a steady rate, whether the last call was answered or not. Ends by itself.
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { type ApiReply, apiClient } from '@krapao/server/test/harness/api-client.ts';
import { databaseLine } from '@krapao/server/test/harness/database-line.ts';
import { openGame, settled, transfer } from '@krapao/server/test/harness/games.ts';
import { registerMember, type TestMember } from '@krapao/server/test/harness/members.ts';
import { fund, ledgerOf } from '@krapao/server/test/harness/money.ts';
import { startServerProcess } from '@krapao/server/test/harness/server-process.ts';
import { startSystem } from '@krapao/server/test/harness/system.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const MEMBERS = 80;
const WARM_MS = 2_000;
const SILENT_MS = 12_000;
const CALM_MS = 3_000;
const EVERY_MS = { read: 50, write: 500, money: 200, ready: 200 } as const;

type Name = keyof typeof EVERY_MS;
type Call = { name: Name; startedMs: number; endedMs: number; status: number };

const system = await startSystem();
const ledger = ledgerOf(system);
const line = await databaseLine(system.databaseUrl);
const server = await startServerProcess({ databaseUrl: line.url, outside: system.outside });
const api = apiClient(server.url);
const world = { ...system, api };
// A transfer keeps its game account to itself: each call moves another member's money.
const members = await Promise.all(Array.from({ length: MEMBERS }, () => registerMember(system)));
for (const { id, token } of members) {
  await fund(ledger, id, '1000.00');
  await openGame(system, token, 'pg');
}
const load = (): string => (loadavg()[0] ?? 0).toFixed(1);
let turn = 0;
const next = (): TestMember => members[(turn += 1) % MEMBERS] as TestMember;

const ask: Readonly<Record<Name, () => Promise<ApiReply>>> = {
  read: () => api('GET /api/wallet', { token: next().token }),
  write: () => {
    const { phone, password } = next();
    return api('POST /api/login', { body: { username: phone, password } });
  },
  money: () => transfer(world, next().token, { from: 'WALLET', to: 'pg', amount: 1 }),
  ready: () => api('GET /health/ready'),
};

/** Calls at a steady rate until told to stop; resolves when each is answered. */
function callers(calls: Call[]): { stop: () => Promise<unknown> } {
  const open = new Set<Promise<void>>();
  const one = async (name: Name): Promise<void> => {
    const startedMs = monotonicMs();
    const { status } = await ask[name]();
    calls.push({ name, startedMs, endedMs: monotonicMs(), status });
  };
  const timers = (Object.keys(EVERY_MS) as Name[]).map((name) =>
    setInterval(() => {
      const call = one(name).finally(() => open.delete(call));
      open.add(call);
    }, EVERY_MS[name]),
  );
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      return Promise.all(open);
    },
  };
}

async function round(how: 'freeze' | 'freezeOpen'): Promise<void> {
  const calls: Call[] = [];
  const calling = callers(calls);
  await wait(WARM_MS);
  const frozenMs = monotonicMs();
  line[how]();
  await wait(SILENT_MS);
  const thawedMs = monotonicMs();
  line.thaw();
  await wait(CALM_MS);
  await calling.stop();
  await settled(system);
  const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
  const since = calls.filter(({ endedMs }) => endedMs > frozenMs);
  for (const name of Object.keys(EVERY_MS) as Name[]) {
    const mine = since.filter((call) => call.name === name);
    const took = Math.max(...mine.map(({ startedMs, endedMs }) => endedMs - Math.max(startedMs, frozenMs)));
    const last = Math.max(thawedMs, ...mine.filter(({ status }) => status === 503).map(({ endedMs }) => endedMs));
    const statuses = Map.groupBy(mine, ({ status }) => status);
    const counts = [...statuses].map(([status, { length }]) => `${length} × ${status}`).toSorted();
    console.log(
      `${how} ${name}: longest ${seconds(took)} s, last 503 ${seconds(last - thawedMs)} s after the thaw, ${counts.join(', ')}`,
    );
  }
}

console.log(`load ${load()}`);
for (let count = 0; count < ROUNDS; count += 1) for (const how of ['freeze', 'freezeOpen'] as const) await round(how);
for (const { name, violations } of await ledger.audit())
  if (violations > 0) console.log(`audit: ${name} ${violations}`);
console.log(`load ${load()}`);
await server.stop();
line.close();
await ledger.close();
await system.stop();
