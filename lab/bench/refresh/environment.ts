import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '@krapao/server/src/platform/database/database.ts';
import { hashToken } from '@krapao/server/src/platform/ids.ts';
import { sleep, systemClock } from '@krapao/server/src/platform/time.ts';
import { freePort } from '@krapao/server/test/harness/free-port.ts';

/** Ten providers with one game each; the first three hang under load. */
export const PROVIDERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'] as const;
export const HANGING = PROVIDERS.slice(0, 3);
/** The provider where all members play: each refresh returns a different balance. */
const PLAYED_PROVIDER = 'j';

/** Priority of processes that run on other machines in production. */
export const LOWEST_PRIORITY = 19;

const SERVER_PATH = join(import.meta.dirname, '../../../server/src/main.ts');
const NO_FLOOD_LIMIT = '900000000';
const READY_TIMEOUT_MS = 30_000;

export const tokenOf = (member: number): string => `refresh-${member}`.padEnd(43, '-');

/** Starts the providers. @param hanging those that never reply */
export async function startProviders(hanging: readonly string[]): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, 'providers.ts'), [PLAYED_PROVIDER, ...hanging]);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}

/** Starts the server on a database with the providers at a port. */
export async function startServer(
  folder: string,
  databaseUrl: string,
  providersPort: number,
): Promise<{ process: ChildProcess; address: string }> {
  const port = await freePort();
  writeFileSync(
    join(folder, 'outside.json'),
    JSON.stringify(outsideSettings(`http://127.0.0.1:${port}`, providersPort)),
  );
  writeFileSync(
    join(folder, 'secrets.json'),
    JSON.stringify({ encryptionKey: Buffer.alloc(32, 1).toString('base64') }),
  );
  const child = fork(SERVER_PATH, [], {
    execArgv: ['--max-semi-space-size=4'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      SIMULATORS: 'off',
      REQUESTS_PER_MINUTE: NO_FLOOD_LIMIT,
      LOG_LEVEL: 'error',
    },
  });
  const address = `http://127.0.0.1:${port}`;
  await waitUntilReady(address);
  return { process: child, address };
}

/** Inserts members with a session and an idle account in each of ten games; hides the seeded games. */
export async function insertMembers(database: Database, members: number): Promise<void> {
  const numbers = Array.from({ length: members }, (_, member) => member);
  const ids = numbers.map((member) => `00000000-0000-4000-8000-${String(member).padStart(12, '0')}`);
  await database.query('update game set is_hidden = true');
  await database.query(
    `insert into game (code, name, category, provider, credits_per_unit) select p, p, 'slot', p, 1 from unnest($1::text[]) p`,
    [PROVIDERS],
  );
  await database.query(
    `with made as (
       insert into member (id, phone, name, password_hash, currency, source_code, created_at)
       select id, '09' || lpad((ordinality)::text, 8, '0'), 'Bench', '-', 'BAHT', 'FRIEND', $3
         from unnest($1::uuid[]) with ordinality t(id)),
     signed as (
       insert into member_session (token_hash, member_id, remembered, created_at, expires_at)
       select hash, id, false, $3, $3::timestamptz + interval '1 day' from unnest($1::uuid[], $2::bytea[]) t(id, hash))
     insert into game_account (member_id, game_code, provider, username, password, state, activated_at)
     select id, p, p, 'kp' || right(id::text, 8), '\\x00', 'ACTIVE', now() from unnest($1::uuid[]) id, unnest($4::text[]) p`,
    [ids, numbers.map((member) => hashToken(tokenOf(member))), systemClock.now(), PROVIDERS],
  );
}

function outsideSettings(publicUrl: string, providersPort: number): object {
  const unreachable = { url: 'http://127.0.0.1:9', timeoutMs: 1_000 };
  const key = 'an-unused-key-of-the-bench';
  const providerAt = (name: string) => ({
    kind: 'pg',
    url: `http://127.0.0.1:${providersPort}/${name}`,
    timeoutMs: 10_000,
  });
  return {
    publicUrl,
    sms: { ...unreachable, key, secret: key, sender: 'X' },
    kbank: {
      ...unreachable,
      partnerId: 'X',
      partnerSecret: key,
      merchantId: 'X',
      terminalId: 'X',
      billerId: '010555555555501',
      callbackUrl: publicUrl,
      callbackKey: key,
      callbackRetryMs: 60_000,
    },
    bank: {
      ...unreachable,
      apiKey: key,
      apiSecret: key,
      callbackSecret: key,
      feedCallbackUrl: publicUrl,
      payoutCallbackUrl: publicUrl,
      accounts: [{ bankCode: 'SCB', accountNo: '4680001234', accountName: 'X', currency: 'BAHT' }],
    },
    games: Object.fromEntries(
      PROVIDERS.map((name) => [name, { ...providerAt(name), operatorToken: key, secretKey: key }]),
    ),
  };
}

async function waitUntilReady(address: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < READY_TIMEOUT_MS; waitedMs += 50) {
    const isReady = await fetch(`${address}/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) return;
    await sleep(50);
  }
  throw new Error('the server did not start');
}
