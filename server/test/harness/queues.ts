import { waitUntilResult } from './games.ts';
import type { System } from './system.ts';

/**
 * Waits until the metrics, which are up to a second old, report the wanted number of items in a queue. @returns age of
 * the oldest item, in seconds
 */
export async function waitForQueueItems(
  { api }: Pick<System, 'api'>,
  queue: string,
  waitsFor: 'resolver' | 'operator',
  isWanted: (items: number) => boolean,
): Promise<number> {
  const readQueueMetrics = async (): Promise<{ items: number; oldest: number }> => {
    const text = String((await api('GET /metrics')).body);
    const figureOf = (name: string): number =>
      Number(new RegExp(`^${name}\\{queue="${queue}",waits_for="${waitsFor}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
    return { items: figureOf('krapao_queue_items'), oldest: figureOf('krapao_queue_oldest_seconds') };
  };
  const { oldest } = await waitUntilResult(`queue ${queue} of the ${waitsFor}`, readQueueMetrics, ({ items }) =>
    isWanted(items),
  );
  return oldest;
}
