import { z } from 'zod';
import { readJsonFile } from './platform/json.ts';
import { gatewaySettings } from './adapters/gateway/index.ts';
import { bankConfig } from './adapters/bank-client.ts';
import { chatBackendConfig } from './adapters/chat-backend.ts';
import { walletAppConfig } from './adapters/feed/wallet-app.ts';
import { pushSettings } from './adapters/push.ts';
import { smsSettings } from './adapters/sms.ts';
import { gameConfig } from './adapters/game/config.ts';

/** The outside file, DATA_DIR/outside.json: addresses and credentials of every third party. */
export const outsideSchema = z.object({
  /** Public address of this system. */
  publicUrl: z.url(),
  /**
   * Origins whose URLs are rewritten to the requested host; for trials in a local network. Empty in production, where a
   * caller's Host header is not trusted.
   */
  followHost: z.array(z.url({ protocol: /^https?$/ })).default([]),
  /** The SMS gateway. Undefined: no codes are sent, so registration must not need one. */
  sms: smsSettings.optional(),
  ...gatewaySettings,
  /** The bank whose API lists transfers into our accounts, sends payouts, and looks slips up. */
  bank: bankConfig,
  /** The wallet app's business account: lists transactions and redeems gift links. */
  walletApp: walletAppConfig.optional(),
  /** The service where support staff read and answer the chat. Undefined: operators reply by command. */
  chatBackend: chatBackendConfig.optional(),
  /** A push service that is not a browser vendor's. Undefined in production. */
  push: pushSettings.optional(),
  /** Game providers by name. */
  games: z.record(z.string(), gameConfig).default({}),
});

export type Outside = z.output<typeof outsideSchema>;

/**
 * Reads and validates the file.
 * @param publicUrl public address from the environment; if set, it is used for every caller
 */
export function readOutside(path: string, publicUrl?: string): Outside {
  const outside = readJsonFile(path, outsideSchema);
  return publicUrl === undefined ? outside : { ...outside, publicUrl };
}

/** URL prefix of a counterparty. */
type PartyPrefix = { prefix: string; party: string };

/** Keys of own URLs in the outside file: counterparties call them, the server does not. */
const OWN_URL_KEYS = /callback|publicUrl|followHost/i;

/**
 * Names the counterparty of a URL by its entry in the outside file: `bank`, `kbank`, `pg`. A URL without an entry, such
 * as that of the object storage, is `other`.
 */
export function partyByUrl(outside: object): (url: string) => string {
  const prefixes = prefixesIn(outside, [])
    // The longest prefix wins: several parties may share a host.
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => prefixes.find(({ prefix }) => url.startsWith(prefix))?.party ?? 'other';
}

function prefixesIn(value: unknown, path: readonly string[]): PartyPrefix[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, child]) =>
      OWN_URL_KEYS.test(name) ? [] : prefixesIn(child, [...path, name]),
    );
  }
  if (typeof value !== 'string' || !/^https?:\/\//.test(value)) return [];
  const [first = 'other', second] = path;
  return [{ prefix: value, party: first === 'games' && second ? second : first }];
}
