import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { requestLanguage } from '../../platform/http/caller.ts';
import { findMoney } from './find-money.ts';
import { moneyRoutes } from './http.ts';
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
  moneyRoutes(app, deps, variant);
  const language = requestLanguage(undefined, variant);
  return { findMovement: (member, key) => findMoney(deps, member, { key, language }) };
}
