import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { apiUrl, timeoutMs } from '../outside-fields.ts';

/** Settings that every game provider has in the outside file, whatever its kind. */
const commonFields = {
  url: apiUrl,
  timeoutMs,
  site: z.url().optional().meta({ description: 'Site for browsers, if different from `url`' }),
  sites: z
    .record(z.string(), z.url())
    .optional()
    .meta({ description: 'Sites for browsers by country', examples: [{ th: 'https://th.example.com' }] }),
};
const credential = (description: string): z.ZodString => z.string().min(1).meta({ description });
const agent = credential("The operator's agent name");
const merchant = credential("The operator's merchant name");
const secret = credential('Key of call signatures');
const rsaKey = z
  .string()
  .min(1)
  .refine(isRsaKey, 'must be the private half of an RSA key pair, as PEM')
  .meta({ description: 'Private half of the RSA key pair, as PEM; the provider has the public half' });

/** Section `games` of the outside file: one variant per kind of provider. */
export const gameConfig = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('pg'),
    ...commonFields,
    operatorToken: credential('Token that identifies the operator'),
    secretKey: secret,
  }),
  z.object({ kind: z.literal('askmebet'), ...commonFields, agent, key: secret }),
  z.object({ kind: z.literal('joker2'), ...commonFields, appId: credential('Number of the application'), secret }),
  z.object({
    kind: z.literal('betflix'),
    ...commonFields,
    apiKey: credential('Key of API calls'),
    apiCat: credential('Category of API calls'),
  }),
  z.object({ kind: z.literal('areaslot'), ...commonFields, agent, key: secret }),
  z.object({ kind: z.literal('huayhd'), ...commonFields, agent, secret }),
  z.object({
    kind: z.literal('imi'),
    ...commonFields,
    user: credential('User of API calls'),
    password: credential('Password of API calls'),
  }),
  z.object({
    kind: z.literal('usun'),
    ...commonFields,
    clientId: credential('Client of API calls'),
    clientSecret: credential('Secret of the client'),
  }),
  z.object({
    kind: z.literal('circus'),
    ...commonFields,
    operatorId: credential('Number of the operator'),
    privateKey: rsaKey,
  }),
  z.object({ kind: z.literal('slotracha'), ...commonFields, token: credential('Token of API calls') }),
  z.object({ kind: z.literal('pgslot'), ...commonFields, agent, secret }),
  z.object({
    kind: z.literal('formpost'),
    ...commonFields,
    merchant,
    secret,
    formCharacters: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "Most characters of username and password in the provider's form; null: no limit" }),
  }),
  z.object({ kind: z.literal('royal'), ...commonFields, agent, key: secret }),
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
