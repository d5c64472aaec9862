import type { Clock } from '../../platform/time.ts';
import type { Gateway } from './port.ts';
import * as vendors from './vendors.ts';

type Vendors = typeof vendors;

/** The parts of the outside file that are about gateways, by the names of the gateways. */
export const gatewaySettings = Object.fromEntries(
  Object.entries(vendors).map(([name, { settings }]) => [name, settings]),
  // Names and schemas belong together, which entries don't say.
) as { [Name in keyof Vendors]: Vendors[Name]['settings'] };

/** Opens every gateway that there is an agreement with. */
export function openGateways(outside: { [Name in keyof Vendors]?: unknown }, clock: Clock): Gateway[] {
  const all = Object.entries(vendors) as [keyof Vendors, Vendors[keyof Vendors]][];
  return all.map(([name, vendor]) => vendor.open(outside[name], clock)).filter((gateway) => gateway !== undefined);
}
