// What it does to others when 500 members refresh ten providers of which three hang: the wallet calls of members who do
// nothing else, calm and in the storm, asked at a steady rate whatever becomes of the calls before.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, type Latencies, QUIET, summed, type Taken } from './calls.ts';

const WALLETS_PER_SECOND = 40;

export type Storm = { wallet: Latencies; refresh: Latencies };

/** Starts the process that the crowd lives in. */
export const startCrowd = (): ChildProcess => fork(join(import.meta.dirname, 'crowd.ts'));

/** Wallet calls alone. */
export const calm = (address: string, forMs: number): Promise<Latencies> => walletCalls(address, forMs);

/** Wallet calls while the crowd refreshes. */
export async function storm(crowd: ChildProcess, address: string, forMs: number): Promise<Storm> {
  const ended = once(crowd, 'message');
  crowd.send({ address, forMs });
  const wallet = await walletCalls(address, forMs);
  const [taken] = (await ended) as [Taken];
  return { wallet, refresh: summed(taken) };
}

async function walletCalls(address: string, forMs: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const taken: Taken = { took: [], failed: 0 };
  const asked: Promise<void>[] = [];
  const start = monotonicMs();
  for (let turn = 0; ; turn += 1) {
    const due = start + (turn * 1_000) / WALLETS_PER_SECOND;
    if (due - start >= forMs) break;
    await sleep(Math.max(0, due - monotonicMs()));
    // Counted from when it was due, so that a caller who is held up hides nothing.
    asked.push(
      get(agent, `${address}/api/wallet`, turn % QUIET).then(({ isGood }) => {
        taken.took.push(monotonicMs() - due);
        if (!isGood) taken.failed += 1;
      }),
    );
  }
  await Promise.all(asked);
  agent.destroy();
  return summed(taken);
}
