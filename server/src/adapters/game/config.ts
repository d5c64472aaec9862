import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** What every provider's section of the outside file has. */
const common = {
  /** Address of its API. */
  url: z.url(),
  timeoutMs: z.int().positive().max(60_000),
  /** What browsers open, when that isn't `url`. */
  site: z.url().optional(),
  /** The same by country. */
  sites: z.record(z.string(), z.url()).optional(),
};
const word = z.string().min(1);
const rsaKey = word.refine(isRsaKey, 'must be the private half of an RSA key pair, as PEM');

/** The section `games` of the outside file: one line for each kind of provider. */
export const gameConfig = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pg'), ...common, operatorToken: word, secretKey: word }),
  z.object({ kind: z.literal('askmebet'), ...common, agent: word, key: word }),
  z.object({ kind: z.literal('joker2'), ...common, appId: word, secret: word }),
  z.object({ kind: z.literal('betflix'), ...common, apiKey: word, apiCat: word }),
  z.object({ kind: z.literal('areaslot'), ...common, agent: word, key: word }),
  z.object({ kind: z.literal('huayhd'), ...common, agent: word, secret: word }),
  z.object({ kind: z.literal('imi'), ...common, user: word, password: word }),
  z.object({ kind: z.literal('usun'), ...common, clientId: word, clientSecret: word }),
  /** The private half of the key pair, as PEM; the provider knows the public one. */
  z.object({ kind: z.literal('circus'), ...common, operatorId: word, privateKey: rsaKey }),
  z.object({ kind: z.literal('slotracha'), ...common, token: word }),
  z.object({ kind: z.literal('pgslot'), ...common, agent: word, secret: word }),
  /** `formCharacters`: how many characters of username and password its form takes; null for no limit. */
  z.object({
    kind: z.literal('formpost'),
    ...common,
    merchant: word,
    secret: word,
    formCharacters: z.int().min(1).nullable(),
  }),
  z.object({ kind: z.literal('royal'), ...common, agent: word, key: word }),
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
