import type { Gateway } from './gateways/gateway.ts';

/** Where a gateway calls back, and how long it waits after each attempt that was not taken (milliseconds). */
export type CallbackSettings = { url: string; retryMs: readonly number[] };

/** What a test or a person may change while the process runs; a restart begins with the outside file again. */
export type Settings = { qrLifeSeconds: number; callbacks: Record<string, CallbackSettings> };

export function initialSettings(gateways: readonly Gateway[]): Settings {
  return {
    qrLifeSeconds: 600,
    callbacks: Object.fromEntries(gateways.map(({ name, callback: { url, retryMs } }) => [name, { url, retryMs }])),
  };
}
