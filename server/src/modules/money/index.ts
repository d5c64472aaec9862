import { getMoney, listPending } from '@krapao/contract/endpoints/money';
import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import type { Variant } from '@krapao/contract/rules';
import { requestLanguage } from '../../platform/http/caller.ts';
import { Refusal } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { findMoney } from './find-money.ts';
import { readPending } from './list-pending.ts';
import type { MoneyDeps, WireMoney } from './money.ts';
import { usualDurations } from './usual-durations.ts';
import { usualTimes } from './usual-time.ts';

export type { WireMoney } from './money.ts';

export type MoneyModule = {
  /** One movement of the member with its steps; undefined when the key names no movement of the member. */
  findMovement: (member: { id: string; currency: Currency }, key: string) => Promise<WireMoney | undefined>;
};

/** Movements read without a server, by an operator command. */
export const movementReader = (
  options: Omit<MoneyDeps, 'durations' | 'usualTime'>,
  language: Language,
): MoneyModule['findMovement'] => {
  const deps: MoneyDeps = { ...options, durations: usualDurations(options), usualTime: usualTimes(options) };
  return (member, key) => findMoney(deps, member, { key, language });
};

/** What is open, and the history of each movement: read-only views over the modules that move money. */
export function moneyModule({
  app,
  variant,
  ...options
}: Omit<MoneyDeps, 'durations' | 'usualTime'> & { app: FastifyInstance; variant: Variant }): MoneyModule {
  const deps: MoneyDeps = { ...options, durations: usualDurations(options), usualTime: usualTimes(options) };
  route(app, listPending, async ({ member }) => ({ status: 200, body: await readPending(deps, member.id) }));
  route(app, getMoney, async ({ member, params, request }) => {
    const language = requestLanguage(request.headers.cookie, variant);
    const item = await findMoney(deps, member, { ...params, language });
    // Another member's item is refused as one that does not exist.
    if (!item) throw new Refusal('NO_DATA');
    return { status: 200, body: item };
  });
  const language = requestLanguage(undefined, variant);
  return { findMovement: (member, key) => findMoney(deps, member, { key, language }) };
}
