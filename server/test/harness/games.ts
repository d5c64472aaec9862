import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Outside } from '../../src/outside-config.ts';
import type { ApiReply } from './api-client.ts';
import { readBalance } from './money.ts';
import type { System } from './system.ts';

/** A code of `server/seed/games.json`. */
export type GameCode = string;
type SeedGame = { code: GameCode; provider: string; ftWalletSlot: number };

const SEED_GAMES: readonly SeedGame[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../seed/games.json'), 'utf8'),
);

function findSeedGame(code: GameCode): SeedGame {
  const game = SEED_GAMES.find((seedGame) => seedGame.code === code);
  if (!game) throw new Error(`the seed has no game ${code}`);
  return game;
}

/** Provider of the game, which is also its name in the simulators. */
export const providerOf = (code: GameCode): string => findSeedGame(code).provider;

/** Credits per baht. */
export const multiplierOf = (code: GameCode): bigint => BigInt(findSeedGame(code).ftWalletSlot);

/** For `startSystem`: how long a call to a game provider may take. */
export const outsideWithProviderTimeout =
  (timeoutMs: number) =>
  (outside: Outside): Outside => ({
    ...outside,
    games: Object.fromEntries(Object.entries(outside.games).map(([name, config]) => [name, { ...config, timeoutMs }])),
  });

type SystemClients = Pick<System, 'api' | 'simulatorsApi'>;

/** Opens a game account through the front door. */
export async function openGame(
  system: SystemClients,
  token: string,
  code: GameCode,
): Promise<{ username: string; password: string }> {
  const reply = await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: code } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export type ProviderFault = {
  fault:
    | 'decline'
    | 'timeout-applied'
    | 'timeout-lost'
    | 'garbage'
    | 'error-500'
    | 'slow'
    | 'duplicate-reference'
    | 'absent'
    | 'unknown-player'
    | 'unlisted-code';
  times?: number;
  delayMs?: number;
  call?: string;
  applied?: boolean;
};

/** Injects a fault into the provider's next calls. */
export async function failProvider(system: SystemClients, code: GameCode, fault: ProviderFault): Promise<void> {
  const reply = await system.simulatorsApi('POST /control/faults', {
    body: { target: `game:${providerOf(code)}`, ...fault },
  });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
}

/** Sets a state of the provider until the next change. `pool`: remaining accounts, null for unlimited. */
export async function setProviderState(
  system: Pick<SystemClients, 'simulatorsApi'>,
  code: GameCode,
  state: { maintenance?: boolean; launchRefused?: boolean; pool?: number | null },
): Promise<void> {
  const gameStates = { [providerOf(code)]: state };
  const reply = await system.simulatorsApi('POST /control/settings', { body: { games: gameStates } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Closes a provider for maintenance, or reopens it. */
export const setProviderMaintenance = (
  system: Pick<SystemClients, 'simulatorsApi'>,
  code: GameCode,
  maintenance: boolean,
): Promise<void> => setProviderState(system, code, { maintenance });

/** A call received by the simulators: its ISO time, and the duration of its reply. */
export type SimulatorCall = { at: string; ms: number; status: number };

/** Calls of one name to the provider, newest first. A call is listed once it was answered or left unanswered. */
export async function providerCallLog(
  system: Pick<SystemClients, 'simulatorsApi'>,
  code: GameCode,
  call: string,
): Promise<SimulatorCall[]> {
  const { body } = await system.simulatorsApi(
    `GET /control/calls?target=game:${providerOf(code)}&call=${call}&limit=1000`,
  );
  return body;
}

/** How often the provider was asked something. */
export const countProviderCalls = async (
  system: Pick<SystemClients, 'simulatorsApi'>,
  code: GameCode,
  call: string,
): Promise<number> => (await providerCallLog(system, code, call)).length;

/** Clears all faults: of the provider of a game, or of every party. */
export async function clearProviderFaults(system: SystemClients, code?: GameCode): Promise<void> {
  await system.simulatorsApi(`DELETE /control/faults${code === undefined ? '' : `?target=game:${providerOf(code)}`}`);
}

/** Plays one settled round, in credits. */
export async function playRound(
  system: SystemClients,
  code: GameCode,
  username: string,
  stake: string,
  win: string,
): Promise<void> {
  const reply = await system.simulatorsApi('POST /games/{code}/players/{username}/play', {
    params: { code: providerOf(code), username },
    body: { stake, win },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Opens a round whose stake stays outstanding, in credits. @returns voids the round, which returns its stake */
export async function openBet(
  system: SystemClients,
  code: GameCode,
  username: string,
  stake: string,
): Promise<() => Promise<void>> {
  const params = { code: providerOf(code), username };
  const openReply = await system.simulatorsApi('POST /games/{code}/players/{username}/play', {
    params,
    body: { stake, open: true },
  });
  assert.equal(openReply.status, 200, JSON.stringify(openReply.body));
  return async () => {
    const body = { roundId: openReply.body.roundId, win: 'void' };
    const settleReply = await system.simulatorsApi('POST /games/{code}/players/{username}/settle', { params, body });
    assert.equal(settleReply.status, 200, JSON.stringify(settleReply.body));
  };
}

/** Balance at the provider, in decimal credits. */
export async function readProviderCredit(system: SystemClients, code: GameCode, username: string): Promise<string> {
  const { body } = await system.simulatorsApi('GET /games/{code}/players/{username}', {
    params: { code: providerOf(code), username },
  });
  return body.balance;
}

/** The game's player, and the address of the link back. */
type SeatedPlayer = { username: string; language: string; returnUrl: string | null };

/** Opens a launch link, or posts a form, like the member's browser. @returns the game's player */
export async function openLaunchLink(link: string, form?: URLSearchParams): Promise<SeatedPlayer> {
  const page = await fetch(link, form && { method: 'POST', body: form });
  assert.equal(page.status, 200, 'the game opens');
  const openedUrl = new URL(page.url);
  const state = await fetch(new URL('state', openedUrl), {
    headers: { authorization: `Bearer ${openedUrl.searchParams.get('ops') ?? ''}` },
  });
  assert.equal(state.status, 200, 'the game knows its player');
  return (await state.json()) as SeatedPlayer;
}

export type TransferRequest = { from: string; to: string; amount: unknown; key?: string };

export function transfer(system: SystemClients, token: string, { key, ...body }: TransferRequest): Promise<ApiReply> {
  return system.api('POST /api/wallet/transfer', {
    token,
    body,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
}

/** Waits until the result is the wanted one; fails with the last result. */
export async function waitUntilResult<T>(
  description: string,
  readResult: () => Promise<T>,
  isWanted: (result: T) => boolean,
): Promise<T> {
  const PATIENCE_MS = 60_000;
  const startMs = performance.now();
  for (;;) {
    const result = await readResult();
    if (isWanted(result)) return result;
    if (performance.now() - startMs > PATIENCE_MS) {
      assert.fail(
        `${description}: still ${JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      );
    }
    await wait(60);
  }
}

/** States of a transfer's legs, by the transfer's reference. */
export async function readLegStates({ database }: Pick<System, 'database'>, reference: string): Promise<string[]> {
  const { rows } = await database.query<{ state: string }>(
    `select l.state from transfer_leg l join transfer t on t.id = l.transfer_id where t.reference = $1 order by l.leg`,
    [reference],
  );
  return rows.map(({ state }) => state);
}

/** Waits until no transfer is pending, at one game or at all games. */
export async function untilSettled({ database }: Pick<System, 'database'>, code?: GameCode): Promise<void> {
  await waitUntilResult(
    'transfers under way',
    async () => {
      const { rows } = await database.query<{ open: number }>(
        `select count(*)::int as open from transfer_leg
          where state not in ('DONE', 'REVERSED') and ($1::text is null or game_code = $1)`,
        [code ?? null],
      );
      return rows[0]?.open ?? 0;
    },
    (openCount) => openCount === 0,
  );
}

/** Waits until the resolver has handled every transfer. @returns the transfers that wait for an operator */
export async function waitForManualTransfers(
  system: Pick<System, 'database'>,
): Promise<{ reference: string; code: GameCode }[]> {
  const readOpenLegs = async () =>
    (
      await system.database.query<{ reference: string; code: GameCode; state: string }>(
        `select t.reference, l.game_code as code, l.state from transfer_leg l join transfer t on t.id = l.transfer_id
          where l.state not in ('DONE', 'REVERSED')`,
      )
    ).rows;
  return waitUntilResult('transfers under way', readOpenLegs, (legs) => legs.every(({ state }) => state === 'MANUAL'));
}

/** Settles a transfer like an operator. */
export async function settleManually(
  { database }: Pick<System, 'database'>,
  reference: string,
  isApplied: boolean,
): Promise<void> {
  const { rowCount } = await database.query(
    `update transfer_leg set proof = $2, code = $3, next_inquiry_at = now()
      where state = 'MANUAL' and provider_reference like $1 || '-%'`,
    [reference, isApplied ? 'APPLIED' : 'REFUSED', isApplied ? null : 'TRANSFER_FAIL'],
  );
  assert.equal(rowCount, 1, `${reference} waits for an operator`);
}

const seededAccountsOf = (players: Readonly<Record<string, unknown>>): [GameCode, string][] =>
  SEED_GAMES.flatMap(({ code }) => {
    const username = players[code];
    return typeof username === 'string' ? [[code, username] as [GameCode, string]] : [];
  });

/**
 * Asserts that the ledger passes its audits, and that the member's game accounts agree with the providers. `players`:
 * names by code.
 */
export async function assertBooksAgree(
  system: SystemClients,
  ledger: Ledger,
  memberId: string,
  players: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  for (const [code, username] of seededAccountsOf(players)) {
    const credit = await readProviderCredit(system, code, username);
    const { free, held } = await readBalance(ledger, memberId, `GAME:${code}`);
    assert.equal(held, '0.00', `held at ${code}`);
    assert.equal(toDecimal(minor(BigInt(free.replace('.', '')) * multiplierOf(code))), credit, `credits at ${code}`);
  }
}
