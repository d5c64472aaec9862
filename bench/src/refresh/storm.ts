// What it does to others when 500 members refresh ten providers of which three hang: the wallet calls of members who do
// nothing else, calm and in the storm, asked at a steady rate whatever becomes of the calls before.
import { Agent, request } from 'node:http';
import { monotonicMs, sleep } from '@krapao/server/src/platform/clock.ts';
import { tokenOf } from './world.ts';

export const REFRESHING = 500;
export const QUIET = 20;
const WALLETS_PER_SECOND = 40;
/** A member looks at what came, and presses again. */
const PAUSE_MS = 5_000;

export type Latencies = { calls: number; p50Ms: number; p99Ms: number; longestMs: number; failed: number };
export type Storm = { wallet: Latencies; refresh: Latencies };

/** Wallet calls alone. */
export const calm = (address: string, forMs: number): Promise<Latencies> => walletCalls(address, forMs);

/** Wallet calls while the others refresh, all of them within the first second and again after a pause. */
export async function storm(address: string, forMs: number): Promise<Storm> {
  const agent = new Agent({ keepAlive: true, maxSockets: REFRESHING });
  const took: number[] = [];
  let failed = 0;
  const end = monotonicMs() + forMs;
  const press = async (member: number): Promise<void> => {
    await sleep((member / REFRESHING) * 1_000);
    while (monotonicMs() < end) {
      const { ms, isGood } = await get(agent, `${address}/api/wallet/refresh/slot`, QUIET + member);
      took.push(ms);
      if (!isGood) failed += 1;
      await sleep(PAUSE_MS);
    }
  };
  const pressing = Promise.all(Array.from({ length: REFRESHING }, (_, member) => press(member)));
  const wallet = await walletCalls(address, forMs);
  await pressing;
  agent.destroy();
  return { wallet, refresh: summed(took, failed) };
}

async function walletCalls(address: string, forMs: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const took: number[] = [];
  let failed = 0;
  const asked: Promise<void>[] = [];
  const start = monotonicMs();
  for (let turn = 0; ; turn += 1) {
    const due = start + (turn * 1_000) / WALLETS_PER_SECOND;
    if (due - start >= forMs) break;
    await sleep(Math.max(0, due - monotonicMs()));
    // Counted from when it was due, so that a caller who is held up hides nothing.
    asked.push(
      get(agent, `${address}/api/wallet`, turn % QUIET).then(({ isGood }) => {
        took.push(monotonicMs() - due);
        if (!isGood) failed += 1;
      }),
    );
  }
  await Promise.all(asked);
  agent.destroy();
  return summed(took, failed);
}

function get(agent: Agent, url: string, member: number): Promise<{ ms: number; isGood: boolean }> {
  const from = monotonicMs();
  const headers = { authorization: `Bearer ${tokenOf(member)}`, 'x-requested-with': 'XMLHttpRequest' };
  return new Promise((resolve) => {
    const done = (isGood: boolean) => resolve({ ms: monotonicMs() - from, isGood });
    request(url, { agent, headers }, (reply) => {
      reply.resume();
      reply.once('end', () => done(reply.statusCode === 200));
    })
      .once('error', () => done(false))
      .end();
  });
}

function summed(took: number[], failed: number): Latencies {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { calls: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1), failed };
}
