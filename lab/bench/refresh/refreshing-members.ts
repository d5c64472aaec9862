// The refreshing members, in a separate process at low priority: in production they use other machines.
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, QUIET_MEMBERS, REFRESHING_MEMBERS, type CallTimes } from './calls.ts';
import { LOWEST_PRIORITY } from './environment.ts';

/** Pause of a member before the next refresh. */
const PAUSE_MS = 5_000;

/** Refreshes for all members within the first second, and again after a pause. */
async function refreshAll(address: string, durationMs: number): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: REFRESHING_MEMBERS });
  const callTimes: CallTimes = { durationsMs: [], failed: 0 };
  const endMs = monotonicMs() + durationMs;
  const refreshRepeatedly = async (member: number): Promise<void> => {
    await sleep((member / REFRESHING_MEMBERS) * 1_000);
    while (monotonicMs() < endMs) {
      const { ms, isOk } = await get(agent, `${address}/api/wallet/refresh/slot`, QUIET_MEMBERS + member);
      callTimes.durationsMs.push(ms);
      if (!isOk) callTimes.failed += 1;
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: REFRESHING_MEMBERS }, (_, member) => refreshRepeatedly(member)));
  agent.destroy();
  return callTimes;
}

setPriority(LOWEST_PRIORITY);
process.on('message', ({ address, durationMs }: { address: string; durationMs: number }) => {
  void refreshAll(address, durationMs).then((callTimes) => process.send?.(callTimes));
});
process.on('disconnect', () => process.exit(0));
