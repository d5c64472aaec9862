import { z } from 'zod';
import { bankConfig } from './adapters/bank-client.ts';
import { chatBackendConfig } from './adapters/chat-backend.ts';
import { walletAppConfig } from './adapters/feed/wallet-app.ts';
import { gameConfig } from './adapters/game/config.ts';
import { gatewaySettings } from './adapters/gateway/index.ts';
import { section } from './adapters/outside-fields.ts';
import { pushSettings } from './adapters/push.ts';
import { smsSettings } from './adapters/sms.ts';
import { readJsonFile } from './platform/json.ts';

/** The outside file, DATA_DIR/outside.json: addresses and credentials of every counterparty. */
export const outsideSchema = z.object({
  publicUrl: z.url().meta({
    description: 'Public address of this system, unless `PUBLIC_URL` is set',
    examples: ['https://play.example.com'],
  }),
  followHost: z
    .array(z.url({ protocol: /^https?$/ }))
    .default([])
    .meta({
      description:
        "Origins whose addresses follow the caller's Host header, for trials in a local network. Leave it out in production",
    }),
  sms: smsSettings.optional(),
  ...gatewaySettings,
  bank: bankConfig,
  walletApp: walletAppConfig.optional(),
  chatBackend: chatBackendConfig.optional(),
  push: pushSettings.optional(),
  games: z
    .record(z.string(), gameConfig)
    .default({})
    .meta(section('Game providers, each under the name that `provider` has in `krapao config show games`.')),
});

export type Outside = z.output<typeof outsideSchema>;

/** The file as JSON schema, with descriptions and examples, for docs/deploy/outside-file.md. */
export const describeOutside = () => z.toJSONSchema(outsideSchema, { io: 'input', unrepresentable: 'any' });

/**
 * Reads and validates the file.
 * @param publicUrl public address from the environment; if set, it is used for every caller
 */
export function readOutside(path: string, publicUrl?: string): Outside {
  const outside = readJsonFile(path, outsideSchema);
  return publicUrl === undefined ? outside : { ...outside, publicUrl };
}

/** Fields for the simulators, which `krapao outside` writes. */
const SIMULATOR_FIELD = /(?:^|\.)(?:simulatorsUrl|callbackRetryMs)$/;

/** Paths of fields that the server ignores, such as `walletapp` or `bank.accounts.0.extra`. */
export function findUnknownFields(path: string): string[] {
  const fields = listUnknownFields(readJsonFile(path, z.unknown()), readJsonFile(path, outsideSchema), []);
  return fields.filter((field) => !SIMULATOR_FIELD.test(field));
}

function listUnknownFields(written: unknown, read: unknown, path: readonly string[]): string[] {
  if (typeof written !== 'object' || written === null) return [];
  if (typeof read !== 'object' || read === null) return [];
  const readFields = new Map<string, unknown>(Object.entries(read));
  return Object.entries(written).flatMap(([name, value]) =>
    readFields.has(name)
      ? listUnknownFields(value, readFields.get(name), [...path, name])
      : [[...path, name].join('.')],
  );
}

/** URL prefix of a counterparty. */
type PartyPrefix = { prefix: string; party: string };

/** Keys of own URLs in the outside file: counterparties call them, the server does not. */
export const OWN_URL_KEYS = /callback|publicUrl|followHost/i;

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
