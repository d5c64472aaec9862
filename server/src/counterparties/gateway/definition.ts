import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Gateway } from './port.ts';

export const timeoutMs = z.int().positive().max(60_000);
/** Secret part of the address of a callback, where the gateway signs nothing. */
export const callbackKey = z.string().min(16);

/** A gateway as its folder declares it: what is agreed with it, and how it is opened with that. */
export type GatewayDefinition<Settings extends z.ZodType> = {
  /** Its part of the outside file. Optional where the product is complete without the gateway. */
  settings: Settings;
  /** @returns nothing without an agreement: such a gateway isn't offered */
  open(agreed: unknown, clock: Clock): Gateway | undefined;
};

/** Declares a gateway. Its name is the name that `vendors.ts` exports it by. */
export function defineGateway<Settings extends z.ZodType<object | undefined>>(
  settings: Settings,
  open: (agreed: NonNullable<z.output<Settings>>, clock: Clock) => Gateway,
): GatewayDefinition<Settings> {
  return {
    settings,
    open(agreed, clock) {
      const read = settings.parse(agreed);
      return read ? open(read, clock) : undefined;
    },
  };
}
