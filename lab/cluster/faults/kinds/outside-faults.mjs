import { setTimeout as wait } from 'node:timers/promises';

const EVERY_MS = 800;
const SLOW_MS = 2_500;
const LATE_MS = 4_000;
const CALL_FAULTS = ['timeout-applied', 'timeout-lost', 'garbage', 'error-500', 'slow'];
/** Faults per counterparty; faults of the bank affect payouts. */
const FAULTS_BY_TARGET = [
  ...['game:pg', 'game:joker2'].flatMap((target) =>
    [...CALL_FAULTS, 'decline', 'duplicate-reference'].map((fault) => ({ target, fault })),
  ),
  ...['kbank', 'ww', 'fp', 'payonex'].flatMap((target) =>
    [...CALL_FAULTS, 'callback-twice', 'callback-late', 'callback-forged'].map((fault) => ({ target, fault })),
  ),
  ...CALL_FAULTS.map((fault) => ({ target: 'bank', fault, call: 'payouts' })),
];

/** Injects faults of counterparties until `stop`, which returns `counts` of triggered faults by kind, and `unmet` ones. */
export function injectOutsideFaults(outside, random) {
  let isRunning = true;
  const counts = {};
  const run = async () => {
    while (isRunning) {
      const entry = random.pick(FAULTS_BY_TARGET);
      const delayMs = entry.fault === 'slow' ? SLOW_MS : LATE_MS;
      const { status } = await outside.call({ method: 'POST', path: '/control/faults', body: { ...entry, delayMs } });
      if (status === 201) counts[entry.fault] = (counts[entry.fault] ?? 0) + 1;
      await wait(EVERY_MS * (0.5 + random.next()));
    }
  };
  const injection = run();
  return {
    async stop() {
      isRunning = false;
      await injection;
      const remainingFaults = await outside.callOrThrow({ path: '/control/faults' });
      for (const { fault, times } of remainingFaults) counts[fault] -= times;
      await outside.call({ method: 'DELETE', path: '/control/faults' });
      return { counts, unmet: remainingFaults.length };
    },
  };
}
