import type { Clock } from '../../platform/clock.ts';
import { bcelGateway, type BcelSettings } from './bcel/bcel.ts';
import { fpGateway, type FpSettings } from './fp/fp.ts';
import { kbankGateway, type KbankSettings } from './kbank/kbank.ts';
import { payonexGateway } from './payonex/payonex.ts';
import type { PayonexSettings } from './payonex/session.ts';
import type { Gateway } from './port.ts';
import { wwGateway, type WwSettings } from './ww/ww.ts';

/** Settings of each gateway: sections of the outside file. A missing one is not offered. */
export type GatewaySettings = {
  kbank?: KbankSettings;
  ww?: WwSettings | undefined;
  fp?: FpSettings | undefined;
  payonex?: PayonexSettings | undefined;
  bcel?: BcelSettings | undefined;
};

/** Every configured gateway. A new one is a folder beside `kbank` and one line here. */
export function openGateways({ kbank, ww, fp, payonex, bcel }: GatewaySettings, clock: Clock): Gateway[] {
  return [
    kbank && kbankGateway(kbank, clock),
    ww && wwGateway(ww, clock),
    fp && fpGateway(fp, clock),
    payonex && payonexGateway(payonex, clock),
    bcel && bcelGateway(bcel),
  ].filter((gateway) => gateway !== undefined);
}
