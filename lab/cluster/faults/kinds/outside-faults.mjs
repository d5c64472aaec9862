import { setTimeout as wait } from 'node:timers/promises';

const EVERY_MS = 800;
const SLOW_MS = 2_500;
const LATE_MS = 4_000;
const CALL_FAULTS = ['timeout-applied', 'timeout-lost', 'garbage', 'error-500', 'slow'];
/** Faults of each counterparty; those of the bank hit its payouts. */
const FAULTS = [
  ...['game:pg', 'game:joker2'].flatMap((target) =>
    [...CALL_FAULTS, 'decline', 'duplicate-reference'].map((fault) => ({ target, fault })),
  ),
  ...['kbank', 'ww', 'fp', 'payonex'].flatMap((target) =>
    [...CALL_FAULTS, 'callback-twice', 'callback-late', 'callback-forged'].map((fault) => ({ target, fault })),
  ),
  ...CALL_FAULTS.map((fault) => ({ target: 'bank', fault, call: 'payouts' })),
];

/** Lets counterparties misbehave until `stop`, which answers `counts` of what met a call, by kind, and `unmet`. */
export function misbehave(outside, random) {
  let isOn = true;
  const counts = {};
  const run = async () => {
    while (isOn) {
      const order = random.pick(FAULTS);
      const delayMs = order.fault === 'slow' ? SLOW_MS : LATE_MS;
      const { status } = await outside.call({ method: 'POST', path: '/control/faults', body: { ...order, delayMs } });
      if (status === 201) counts[order.fault] = (counts[order.fault] ?? 0) + 1;
      await wait(EVERY_MS * (0.5 + random.next()));
    }
  };
  const running = run();
  return {
    async stop() {
      isOn = false;
      await running;
      const left = await outside.must({ path: '/control/faults' });
      for (const { fault, times } of left) counts[fault] -= times;
      await outside.call({ method: 'DELETE', path: '/control/faults' });
      return { counts, unmet: left.length };
    },
  };
}
