// Wallet calls of other members, with and without 500 refreshing members. Three of ten providers hang. Calls have a
// steady rate, independent of earlier replies.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, type Latencies, QUIET_MEMBERS, summarize, type CallTimes } from './calls.ts';

const WALLETS_PER_SECOND = 40;

export type LoadedLatencies = { wallet: Latencies; refresh: Latencies };

export const startRefreshProcess = (): ChildProcess => fork(join(import.meta.dirname, 'refreshing-members.ts'));

/** Measures wallet calls without refreshing members. */
export const measureCalm = (address: string, durationMs: number): Promise<Latencies> =>
  walletCalls(address, durationMs);

/** Measures wallet calls during the refreshes. */
export async function measureDuringRefresh(
  refreshProcess: ChildProcess,
  address: string,
  durationMs: number,
): Promise<LoadedLatencies> {
  const refreshReply = once(refreshProcess, 'message');
  refreshProcess.send({ address, durationMs });
  const walletLatencies = await walletCalls(address, durationMs);
  const [refreshTimes] = (await refreshReply) as [CallTimes];
  return { wallet: walletLatencies, refresh: summarize(refreshTimes) };
}

async function walletCalls(address: string, durationMs: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const callTimes: CallTimes = { durationsMs: [], failed: 0 };
  const calls: Promise<void>[] = [];
  const start = monotonicMs();
  for (let callNumber = 0; ; callNumber += 1) {
    const dueMs = start + (callNumber * 1_000) / WALLETS_PER_SECOND;
    if (dueMs - start >= durationMs) break;
    await sleep(Math.max(0, dueMs - monotonicMs()));
    // Counted from the due time, so that a delayed caller does not hide latency.
    calls.push(
      get(agent, `${address}/api/wallet`, callNumber % QUIET_MEMBERS).then(({ isOk }) => {
        callTimes.durationsMs.push(monotonicMs() - dueMs);
        if (!isOk) callTimes.failed += 1;
      }),
    );
  }
  await Promise.all(calls);
  agent.destroy();
  return summarize(callTimes);
}
