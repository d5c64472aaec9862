// Wallet calls of other members, calm and while 500 members refresh ten providers of which three hang. Calls have a steady rate,
// independent of earlier replies.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, type Latencies, QUIET, summarize, type CallTimes } from './calls.ts';

const WALLETS_PER_SECOND = 40;

export type Storm = { wallet: Latencies; refresh: Latencies };

/** Starts the process of the crowd. */
export const startCrowd = (): ChildProcess => fork(join(import.meta.dirname, 'crowd.ts'));

/** Wallet calls without a crowd. */
export const calm = (address: string, durationMs: number): Promise<Latencies> => walletCalls(address, durationMs);

/** Wallet calls while the crowd refreshes. */
export async function storm(crowd: ChildProcess, address: string, durationMs: number): Promise<Storm> {
  const ended = once(crowd, 'message');
  crowd.send({ address, durationMs });
  const wallet = await walletCalls(address, durationMs);
  const [times] = (await ended) as [CallTimes];
  return { wallet, refresh: summarize(times) };
}

async function walletCalls(address: string, durationMs: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const times: CallTimes = { durationsMs: [], failed: 0 };
  const calls: Promise<void>[] = [];
  const start = monotonicMs();
  for (let turn = 0; ; turn += 1) {
    const due = start + (turn * 1_000) / WALLETS_PER_SECOND;
    if (due - start >= durationMs) break;
    await sleep(Math.max(0, due - monotonicMs()));
    // Counted from the due time, so that a delayed caller does not hide latency.
    calls.push(
      get(agent, `${address}/api/wallet`, turn % QUIET).then(({ isOk }) => {
        times.durationsMs.push(monotonicMs() - due);
        if (!isOk) times.failed += 1;
      }),
    );
  }
  await Promise.all(calls);
  agent.destroy();
  return summarize(times);
}
