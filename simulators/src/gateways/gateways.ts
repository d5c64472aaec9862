import type { Store } from '../store.ts';
import type { Gateway } from './gateway.ts';
import * as vendors from './vendors.ts';

type VendorDefinitions = typeof vendors;

/** Schemas of the gateways' sections of the outside file, by name of the gateway. */
export const gatewaySettings = Object.fromEntries(
  Object.entries(vendors).map(([name, { settings }]) => [name, settings]),
  // `Object.fromEntries` loses the relation between names and schemas.
) as { [Name in keyof VendorDefinitions]: VendorDefinitions[Name]['settings'] };

/** Opens all simulated gateways. */
export function allGateways(outside: { [Name in keyof VendorDefinitions]: unknown }, store: Store): Gateway[] {
  const definitions = Object.entries(vendors) as [
    keyof VendorDefinitions,
    VendorDefinitions[keyof VendorDefinitions],
  ][];
  return definitions.map(([name, definition]) => definition.open(outside[name], store));
}
