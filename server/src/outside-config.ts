import { z } from 'zod';
import { readJsonFile } from './platform/json.ts';
import { gatewaySettings } from './adapters/gateway/index.ts';
import { bankConfig } from './adapters/bank-client.ts';
import { chatBackendConfig } from './adapters/chat-backend.ts';
import { walletAppConfig } from './adapters/feed/wallet-app.ts';
import { gameConfig } from './adapters/game/config.ts';

const timeoutMs = z.int().positive().max(60_000);

/** Addresses and credentials of everything outside: what DATA_DIR/outside.json says. */
export const outsideSchema = z.object({
  /** Public address of this system. */
  publicUrl: z.url(),
  /**
   * Origins whose addresses are rewritten to the host that a call was sent to; for trying the product out in a local
   * network. None in production: there a caller's Host header is not trusted.
   */
  followHost: z.array(z.url({ protocol: /^https?$/ })).default([]),
  sms: z.object({ url: z.url(), key: z.string(), secret: z.string(), sender: z.string(), timeoutMs }),
  ...gatewaySettings,
  /** The bank whose API lists transfers into our accounts, pays out of them, and looks slips up. */
  bank: bankConfig,
  /** The wallet app's business account: its transactions, and redeeming gift links. */
  walletApp: walletAppConfig.optional(),
  /** Where support staff read and answer the chat; without it operators answer by command. */
  chatBackend: chatBackendConfig.optional(),
  /** Game providers by name. */
  games: z.record(z.string(), gameConfig),
});

export type Outside = z.output<typeof outsideSchema>;

/**
 * Reads and checks the file.
 * @param publicUrl the public address, when the environment sets one: then it is used for every caller
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
 * Names the counterparty of a URL by its entry in the outside file: `bank`, `kbank`, `pg`. A URL without an entry, such as
 * that of the object storage, is `other`.
 */
export function partyByUrl(outside: object): (url: string) => string {
  const prefixes = prefixesIn(outside, [])
    // The most specific one decides: several parties may share a host.
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => prefixes.find(({ prefix }) => url.startsWith(prefix))?.party ?? 'other';
}

function prefixesIn(value: unknown, path: readonly string[]): PartyPrefix[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) =>
      OWN_URL_KEYS.test(name) ? [] : prefixesIn(inner, [...path, name]),
    );
  }
  if (typeof value !== 'string' || !/^https?:\/\//.test(value)) return [];
  const [first = 'other', second] = path;
  return [{ prefix: value, party: first === 'games' && second ? second : first }];
}
