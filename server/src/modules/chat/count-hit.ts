import type { Limit } from '../../platform/http/limits/rate-limit.ts';
import type { ChatDeps } from './chat-deps.ts';

/** Counts one of what the operator limits. Throws the refusal of the limit when it is one too many. */
export async function countHit(
  { operatorData, rateLimits }: Pick<ChatDeps, 'operatorData' | 'rateLimits'>,
  name: string,
  whom: string,
  code: Limit['code'] = 'REQUEST_LIMIT',
): Promise<void> {
  const { hits, windowSeconds } = (await operatorData()).limit(name);
  await rateLimits.hit({ key: `${name}:${whom}`, max: hits, windowSeconds, code });
}
