import type { Clock } from '../../platform/clock.ts';
import { kbankGateway, type KbankSettings } from './kbank/kbank.ts';
import type { Gateway } from './port.ts';

/** What is agreed with each gateway: parts of the outside file. One that isn't there isn't offered. */
export type GatewaySettings = { kbank?: KbankSettings };

/** Every gateway that there is an agreement with. A new one is a folder beside `kbank` and one line here. */
export function openGateways(settings: GatewaySettings, clock: Clock): Gateway[] {
  return [settings.kbank && kbankGateway(settings.kbank, clock)].filter((gateway) => gateway !== undefined);
}
