import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** Fields of every provider in the outside file. */
const commonFields = {
  /** URL of the provider's API. */
  url: z.url(),
  timeoutMs: z.int().positive().max(60_000),
  /** Site for browsers, if different from `url`. */
  site: z.url().optional(),
  /** Site for browsers, by country. */
  sites: z.record(z.string(), z.url()).optional(),
};
const nonEmptyText = z.string().min(1);
const rsaKey = nonEmptyText.refine(isRsaKey, 'must be the private half of an RSA key pair, as PEM');

/** Section `games` of the outside file: one variant per kind of provider. */
export const gameConfig = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pg'), ...commonFields, operatorToken: nonEmptyText, secretKey: nonEmptyText }),
  z.object({ kind: z.literal('askmebet'), ...commonFields, agent: nonEmptyText, key: nonEmptyText }),
  z.object({ kind: z.literal('joker2'), ...commonFields, appId: nonEmptyText, secret: nonEmptyText }),
  z.object({ kind: z.literal('betflix'), ...commonFields, apiKey: nonEmptyText, apiCat: nonEmptyText }),
  z.object({ kind: z.literal('areaslot'), ...commonFields, agent: nonEmptyText, key: nonEmptyText }),
  z.object({ kind: z.literal('huayhd'), ...commonFields, agent: nonEmptyText, secret: nonEmptyText }),
  z.object({ kind: z.literal('imi'), ...commonFields, user: nonEmptyText, password: nonEmptyText }),
  z.object({ kind: z.literal('usun'), ...commonFields, clientId: nonEmptyText, clientSecret: nonEmptyText }),
  /** The private half of the key pair, as PEM; the provider has the public half. */
  z.object({ kind: z.literal('circus'), ...commonFields, operatorId: nonEmptyText, privateKey: rsaKey }),
  z.object({ kind: z.literal('slotracha'), ...commonFields, token: nonEmptyText }),
  z.object({ kind: z.literal('pgslot'), ...commonFields, agent: nonEmptyText, secret: nonEmptyText }),
  /** `formCharacters`: maximum characters of username and password in the provider's form; null: no limit. */
  z.object({
    kind: z.literal('formpost'),
    ...commonFields,
    merchant: nonEmptyText,
    secret: nonEmptyText,
    formCharacters: z.int().min(1).nullable(),
  }),
  z.object({ kind: z.literal('royal'), ...commonFields, agent: nonEmptyText, key: nonEmptyText }),
]);

export type GameConfig = z.output<typeof gameConfig>;
/** The configuration of one kind of provider. */
export type ConfigOf<K extends GameConfig['kind']> = Extract<GameConfig, { kind: K }>;

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
