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

/** Each protocol declares its required fields. */
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
  /** Optional, as in the server. `robot`: whether it replies automatically. */
  chatBackend: z.object({ key: text, secret: text, callbackUrl: z.url(), robot: z.boolean().default(true) }).optional(),
  /** The operator's site. `followHost`: origins that are rewritten to the requested host, see links.ts. */
  publicUrl: z.url().default('http://localhost:3000'),
  followHost: z.array(z.url()).default([]),
  games: z.object(gamesOf(PROVIDERS)),
});

export type ChatBackendSettings = NonNullable<Outside['chatBackend']>;

/** Content of the outside file: credentials, callback URLs, the operator's bank accounts. */
export type Outside = z.infer<typeof schema>;

/**
 * Reads the outside file.
 * @throws Error with one sentence that names the file and the invalid field
 */
export function readOutsideFile(path: string): Outside {
  let fileContent: unknown;
  try {
    fileContent = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`OUTSIDE_FILE ${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = schema.safeParse(fileContent);
  if (result.success) return result.data;
  const firstIssue = result.error.issues[0];
  throw new Error(
    `OUTSIDE_FILE ${path} is wrong at ${firstIssue?.path.join('.') ?? '?'}: ${firstIssue?.message ?? 'unknown'}`,
  );
}
