import type { Outside } from './outside-file.ts';

/** What a test or a person may change while the process runs; a restart begins with the outside file again. */
export type Settings = { qrLifeSeconds: number; callbackRetryMs: number; callbackUrl: string };

export function initialSettings(outside: Outside): Settings {
  return {
    qrLifeSeconds: 600,
    callbackRetryMs: outside.kbank.callbackRetryMs,
    callbackUrl: outside.kbank.callbackUrl,
  };
}
