// `npm run lab -- bench silence [ROUNDS]`: latency of calls and of the readiness check while all packets between a server and its
// database are dropped without a reset, and the time until recovery. Callers read, write and move money at a steady rate,
// independent of replies.
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { type ApiReply, apiClient } from '@krapao/server/test/harness/api-client.ts';
import { startDatabaseProxy } from '@krapao/server/test/harness/database-proxy.ts';
import { openGame, untilSettled, transfer } from '@krapao/server/test/harness/games.ts';
import { registerMember, type TestMember } from '@krapao/server/test/harness/members.ts';
import { fundWallet, createTestLedger } from '@krapao/server/test/harness/money.ts';
import { startServerProcess } from '@krapao/server/test/harness/server-process.ts';
import { startSystem } from '@krapao/server/test/harness/system.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const MEMBER_COUNT = 80;
const WARM_MS = 2_000;
const SILENT_MS = 12_000;
const CALM_MS = 3_000;
const INTERVAL_MS = { read: 50, write: 500, money: 200, ready: 200 } as const;

type CallName = keyof typeof INTERVAL_MS;
type TimedCall = { name: CallName; startedMs: number; endedMs: number; status: number };

const system = await startSystem();
const ledger = createTestLedger(system);
const proxy = await startDatabaseProxy(system.databaseUrl);
const server = await startServerProcess({ databaseUrl: proxy.url, outside: system.outside });
const api = apiClient(server.url);
const context = { ...system, api };
// A transfer locks its game account: each call uses another member.
const members = await Promise.all(Array.from({ length: MEMBER_COUNT }, () => registerMember(system)));
for (const { id, token } of members) {
  await fundWallet(ledger, id, '1000.00');
  await openGame(system, token, 'pg');
}
const loadText = (): string => (loadavg()[0] ?? 0).toFixed(1);
let lastTurn = 0;
const nextMember = (): TestMember => members[(lastTurn += 1) % MEMBER_COUNT] as TestMember;

const callOf: Readonly<Record<CallName, () => Promise<ApiReply>>> = {
  read: () => api('GET /api/wallet', { token: nextMember().token }),
  write: () => {
    const { phone, password } = nextMember();
    return api('POST /api/login', { body: { username: phone, password } });
  },
  money: () => transfer(context, nextMember().token, { from: 'WALLET', to: 'pg', amount: 1 }),
  ready: () => api('GET /health/ready'),
};

/** Starts calls at a steady rate; `stop` resolves when each has a reply. */
function startCalls(calls: TimedCall[]): { stop: () => Promise<unknown> } {
  const open = new Set<Promise<void>>();
  const callOnce = async (name: CallName): Promise<void> => {
    const startedMs = monotonicMs();
    const { status } = await callOf[name]();
    calls.push({ name, startedMs, endedMs: monotonicMs(), status });
  };
  const timers = (Object.keys(INTERVAL_MS) as CallName[]).map((name) =>
    setInterval(() => {
      const pendingCall = callOnce(name).finally(() => open.delete(pendingCall));
      open.add(pendingCall);
    }, INTERVAL_MS[name]),
  );
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      return Promise.all(open);
    },
  };
}

async function runRound(freezeMode: 'freeze' | 'freezeOpenConnections'): Promise<void> {
  const calls: TimedCall[] = [];
  const startedCalls = startCalls(calls);
  await wait(WARM_MS);
  const frozenMs = monotonicMs();
  proxy[freezeMode]();
  await wait(SILENT_MS);
  const thawedMs = monotonicMs();
  proxy.thaw();
  await wait(CALM_MS);
  await startedCalls.stop();
  await untilSettled(system);
  const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
  const affected = calls.filter(({ endedMs }) => endedMs > frozenMs);
  for (const name of Object.keys(INTERVAL_MS) as CallName[]) {
    const ofName = affected.filter((call) => call.name === name);
    const longestMs = Math.max(...ofName.map(({ startedMs, endedMs }) => endedMs - Math.max(startedMs, frozenMs)));
    const recoveredMs = Math.max(
      thawedMs,
      ...ofName.filter(({ status }) => status === 503).map(({ endedMs }) => endedMs),
    );
    const statuses = Map.groupBy(ofName, ({ status }) => status);
    const counts = [...statuses].map(([status, { length }]) => `${length} × ${status}`).toSorted();
    console.log(
      `${freezeMode} ${name}: longest ${seconds(longestMs)} s, last 503 ${seconds(recoveredMs - thawedMs)} s after the thaw, ${counts.join(', ')}`,
    );
  }
}

console.log(`load ${loadText()}`);
for (let count = 0; count < ROUNDS; count += 1)
  for (const freezeMode of ['freeze', 'freezeOpenConnections'] as const) await runRound(freezeMode);
for (const { name, violations } of await ledger.audit())
  if (violations > 0) console.log(`audit: ${name} ${violations}`);
console.log(`load ${loadText()}`);
await server.stop();
proxy.close();
await ledger.close();
await system.stop();
