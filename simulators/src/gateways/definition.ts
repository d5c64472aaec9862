import { z } from 'zod';
import type { Store } from '../store.ts';
import type { Gateway } from './gateway.ts';

export const billerId = z.string().regex(/^\d{13}(\d{2})?$/, 'must have 13 or 15 digits');

/** A gateway as its folder declares it: what it knows of its merchant, how it is opened with that, tables of its own. */
export type GatewayDefinition<Settings extends z.ZodType> = {
  settings: Settings;
  open(agreed: unknown, store: Store): Gateway;
};

/**
 * Declares a gateway. Its name is the name that `vendors.ts` exports it by; what `npm start` agrees with it is in the
 * folder's agreement.json.
 * @param tables statements that make what it keeps, beside what is kept of every gateway's codes
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
