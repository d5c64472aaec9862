import type { Clock } from '../../platform/time.ts';
import type { Gateway } from './port.ts';
import * as vendors from './vendors.ts';

type VendorDefinitions = typeof vendors;

/** Schemas of the gateways' sections of the outside file, by name of the gateway. */
export const gatewaySettings = Object.fromEntries(
  Object.entries(vendors).map(([name, { settings }]) => [name, settings]),
  // `Object.fromEntries` loses the relation between names and schemas.
) as { [Name in keyof VendorDefinitions]: VendorDefinitions[Name]['settings'] };

/** Opens every gateway that the outside file configures. */
export function openGateways(outsideFile: { [Name in keyof VendorDefinitions]?: unknown }, clock: Clock): Gateway[] {
  const definitions = Object.entries(vendors) as [
    keyof VendorDefinitions,
    VendorDefinitions[keyof VendorDefinitions],
  ][];
  return definitions
    .map(([name, definition]) => definition.open(outsideFile[name], clock))
    .filter((gateway) => gateway !== undefined);
}
