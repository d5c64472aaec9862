import { eventually } from './games.ts';
import type { System } from './system.ts';

/** Waits until the metrics, which may be a second old, count so many items in a queue. @returns the age of the oldest, in seconds */
export async function queueHolds(
  { api }: Pick<System, 'api'>,
  queue: string,
  waitsFor: 'resolver' | 'operator',
  isWanted: (items: number) => boolean,
): Promise<number> {
  const figures = async (): Promise<{ items: number; oldest: number }> => {
    const text = String((await api('GET /metrics')).body);
    const figureOf = (name: string): number =>
      Number(new RegExp(`^${name}\\{queue="${queue}",waits_for="${waitsFor}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
    return { items: figureOf('krapao_queue_items'), oldest: figureOf('krapao_queue_oldest_seconds') };
  };
  const { oldest } = await eventually(`queue ${queue} of the ${waitsFor}`, figures, ({ items }) => isWanted(items));
  return oldest;
}
