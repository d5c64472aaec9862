import { type Agent, request } from 'node:http';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { tokenOf } from './environment.ts';

export const REFRESHING_MEMBERS = 500;
export const QUIET_MEMBERS = 20;

/** Durations of calls in ms, and the number without status 200. */
export type CallTimes = { durationsMs: number[]; failed: number };
export type Latencies = { calls: number; p50Ms: number; p99Ms: number; longestMs: number; failed: number };

/** Calls as a member. @returns duration and whether the status is 200 */
export function get(agent: Agent, url: string, member: number): Promise<{ ms: number; isOk: boolean }> {
  const startedMs = monotonicMs();
  const headers = { authorization: `Bearer ${tokenOf(member)}`, 'x-requested-with': 'XMLHttpRequest' };
  return new Promise((resolve) => {
    const settle = (isOk: boolean) => resolve({ ms: monotonicMs() - startedMs, isOk });
    request(url, { agent, headers }, (reply) => {
      reply.resume();
      reply.once('end', () => settle(reply.statusCode === 200));
    })
      .once('error', () => settle(false))
      .end();
  });
}

export function summarize({ durationsMs, failed }: CallTimes): Latencies {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const quantile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { calls: sorted.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), longestMs: quantile(1), failed };
}
