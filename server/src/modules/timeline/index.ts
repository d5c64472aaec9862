import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import { requestLanguage } from '../../platform/http/caller.ts';
import { findTimeline } from './find-timeline.ts';
import { moneyRoutes } from './http.ts';
import type { TimelineDeps, WireTimeline } from './timeline.ts';
import { usualDurations } from './usual-durations.ts';
import { usualTimes } from './usual-time.ts';

export type { WireTimeline } from './timeline.ts';

export type TimelineModule = {
  /** One movement of the member with its steps; undefined when the key names no movement of the member. */
  findMovement: (member: { id: string; currency: Currency }, key: string) => Promise<WireTimeline | undefined>;
};

/** Movements read without a server, by an operator command. */
export const movementReader = (
  options: Omit<TimelineDeps, 'durations' | 'usualTime'>,
  language: Language,
): TimelineModule['findMovement'] => {
  const deps: TimelineDeps = { ...options, durations: usualDurations(options), usualTime: usualTimes(options) };
  return (member, key) => findTimeline(deps, member, { key, language });
};

/** What is open, and the history of each movement: read-only views over the modules that move money. */
export function timelineModule({
  app,
  variant,
  ...options
}: Omit<TimelineDeps, 'durations' | 'usualTime'> & { app: FastifyInstance; variant: Variant }): TimelineModule {
  const deps: TimelineDeps = { ...options, durations: usualDurations(options), usualTime: usualTimes(options) };
  moneyRoutes(app, deps, variant);
  const language = requestLanguage(undefined, variant);
  return { findMovement: (member, key) => findTimeline(deps, member, { key, language }) };
}
