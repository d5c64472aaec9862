import { z } from 'zod';
import type { Store } from '../store.ts';
import type { Gateway } from './gateway.ts';

export const billerId = z.string().regex(/^\d{13}(\d{2})?$/, 'must have 13 or 15 digits');

/** A gateway declaration: the schema of its settings, how to open it, and its own tables. */
export type GatewayDefinition<Settings extends z.ZodType> = {
  settings: Settings;
  open(agreed: unknown, store: Store): Gateway;
};

/**
 * Declares a gateway. `vendors.ts` exports it under its name; agreement.json in its folder has the settings of `npm
 * start`.
 * @param tables SQL that creates the gateway's own tables, in addition to those of all gateways
 */
export function defineGateway<Settings extends z.ZodType>(
  settings: Settings,
  open: (agreed: z.output<Settings>, store: Store) => Gateway,
  tables = '',
): GatewayDefinition<Settings> {
  return {
    settings,
    open(agreed, store) {
      store.db.exec(tables);
      return open(settings.parse(agreed), store);
    },
  };
}
