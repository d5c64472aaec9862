// The members who refresh, in a separate process at low priority: in production they use other machines.
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, QUIET, REFRESHING, type CallTimes } from './calls.ts';
import { LOWEST_PRIORITY } from './environment.ts';

/** Pause of a member before the next refresh. */
const PAUSE_MS = 5_000;

/** Refreshes for all members within the first second, and again after a pause. */
async function refresh(address: string, durationMs: number): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: REFRESHING });
  const times: CallTimes = { durationsMs: [], failed: 0 };
  const end = monotonicMs() + durationMs;
  const refreshRepeatedly = async (member: number): Promise<void> => {
    await sleep((member / REFRESHING) * 1_000);
    while (monotonicMs() < end) {
      const { ms, isOk } = await get(agent, `${address}/api/wallet/refresh/slot`, QUIET + member);
      times.durationsMs.push(ms);
      if (!isOk) times.failed += 1;
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: REFRESHING }, (_, member) => refreshRepeatedly(member)));
  agent.destroy();
  return times;
}

setPriority(LOWEST_PRIORITY);
process.on('message', ({ address, durationMs }: { address: string; durationMs: number }) => {
  void refresh(address, durationMs).then((times) => process.send?.(times));
});
process.on('disconnect', () => process.exit(0));
