// The members who refresh, in a separate process at low priority: in production they use other machines.
import { Agent } from 'node:http';
import { setPriority } from 'node:os';
import { monotonicMs, sleep } from '@krapao/server/src/platform/time.ts';
import { get, QUIET, REFRESHING, type Taken } from './calls.ts';
import { LAST } from './world.ts';

/** A member looks at what came, and presses again. */
const PAUSE_MS = 5_000;

/** All of them within the first second, and again after a pause. */
async function refresh(address: string, forMs: number): Promise<Taken> {
  const agent = new Agent({ keepAlive: true, maxSockets: REFRESHING });
  const taken: Taken = { took: [], failed: 0 };
  const end = monotonicMs() + forMs;
  const press = async (member: number): Promise<void> => {
    await sleep((member / REFRESHING) * 1_000);
    while (monotonicMs() < end) {
      const { ms, isGood } = await get(agent, `${address}/api/wallet/refresh/slot`, QUIET + member);
      taken.took.push(ms);
      if (!isGood) taken.failed += 1;
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: REFRESHING }, (_, member) => press(member)));
  agent.destroy();
  return taken;
}

setPriority(LAST);
process.on('message', ({ address, forMs }: { address: string; forMs: number }) => {
  void refresh(address, forMs).then((taken) => process.send?.(taken));
});
process.on('disconnect', () => process.exit(0));
