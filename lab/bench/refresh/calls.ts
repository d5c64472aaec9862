import { type Agent, request } from 'node:http';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { tokenOf } from './world.ts';

export const REFRESHING = 500;
export const QUIET = 20;

/** What each of many calls took, in ms, and how many were not answered with 200. */
export type Taken = { took: number[]; failed: number };
export type Latencies = { calls: number; p50Ms: number; p99Ms: number; longestMs: number; failed: number };

/** One call of a member. @returns how long it took, in ms, and whether it went well */
export function get(agent: Agent, url: string, member: number): Promise<{ ms: number; isGood: boolean }> {
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

export function summed({ took, failed }: Taken): Latencies {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return { calls: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1), failed };
}
