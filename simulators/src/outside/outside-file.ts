import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PROVIDERS } from '../games/providers.ts';
import { gatewaySettings } from '../gateways/gateways.ts';

const text = z.string().min(1);
const account = z.object({
  bankCode: text,
  accountNo: text,
  accountName: text,
  currency: z.enum(['BAHT', 'LAK']).default('BAHT'),
});

/** Required fields of a provider stand with its protocol. */
const gameProvider = z.record(z.string(), z.unknown()).optional();

function gamesOf<Name extends string>(names: readonly Name[]): Record<Name, typeof gameProvider> {
  return Object.fromEntries(names.map((name) => [name, gameProvider])) as Record<Name, typeof gameProvider>;
}

const schema = z.object({
  simulatorsUrl: z.url().optional(),
  sms: z.object({ key: text, secret: text, sender: text }),
  ...gatewaySettings,
  bank: z.object({
    apiKey: text,
    apiSecret: text,
    callbackSecret: text,
    feedCallbackUrl: z.url(),
    payoutCallbackUrl: z.url(),
    accounts: z.array(account),
  }),
  walletApp: z.object({ apiKey: text, accountName: text, phone: text, webhookSecret: text, callbackUrl: z.url() }),
  /** Optional, as for the operator; `robot`: whether it replies automatically. */
  chatBackend: z.object({ key: text, secret: text, callbackUrl: z.url(), robot: z.boolean().default(true) }).optional(),
  /** The operator's site, and origins that are rewritten to the requested host: see links.ts. */
  publicUrl: z.url().default('http://localhost:3000'),
  followHost: z.array(z.url()).default([]),
  games: z.object(gamesOf(PROVIDERS)),
});

export type ChatBackendSettings = NonNullable<Outside['chatBackend']>;

/** What the outside knows of its customer: credentials, callback addresses, the operator's bank accounts. */
export type Outside = z.infer<typeof schema>;

/**
 * Reads the outside file.
 * @throws Error with one sentence that names the file and what is wrong with it
 */
export function readOutsideFile(path: string): Outside {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`OUTSIDE_FILE ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new Error(`OUTSIDE_FILE ${path} is wrong at ${first?.path.join('.') ?? '?'}: ${first?.message ?? 'unknown'}`);
}
