import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Outside } from '../../src/outside-config.ts';
import type { ApiReply } from './api-client.ts';
import { balanceOf } from './money.ts';
import type { System } from './system.ts';

/** A code of `server/seed/games.json`. */
export type GameCode = string;
type SeedGame = { code: GameCode; provider: string; ftWalletSlot: number };

const SEED: readonly SeedGame[] = JSON.parse(readFileSync(join(import.meta.dirname, '../../seed/games.json'), 'utf8'));

function seedOf(code: GameCode): SeedGame {
  const game = SEED.find((one) => one.code === code);
  if (!game) throw new Error(`the seed has no game ${code}`);
  return game;
}

/** Whose game it is; also where the simulated outside has its players. */
export const providerOf = (code: GameCode): string => seedOf(code).provider;

/** Credits for one baht. */
export const multiplierOf = (code: GameCode): bigint => BigInt(seedOf(code).ftWalletSlot);

/** For `startSystem`: how long a call to a game provider may take. */
export const providersWithin =
  (timeoutMs: number) =>
  (outside: Outside): Outside => ({
    ...outside,
    games: Object.fromEntries(Object.entries(outside.games).map(([name, config]) => [name, { ...config, timeoutMs }])),
  });

type World = Pick<System, 'api' | 'world'>;

/** Opens a game account through the front door. */
export async function openGame(
  system: World,
  token: string,
  code: GameCode,
): Promise<{ username: string; password: string }> {
  const reply = await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: code } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export type Fault = {
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

/** Makes the provider misbehave on its next calls. */
export async function misbehave(system: World, code: GameCode, fault: Fault): Promise<void> {
  const reply = await system.world('POST /control/faults', { body: { target: `game:${providerOf(code)}`, ...fault } });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
}

/** Orders a state of the provider, until another is ordered. `pool`: accounts that it has left to give, null without end. */
export async function arrange(
  system: Pick<World, 'world'>,
  code: GameCode,
  state: { maintenance?: boolean; launchRefused?: boolean; pool?: number | null },
): Promise<void> {
  const games = { [providerOf(code)]: state };
  const reply = await system.world('POST /control/settings', { body: { games } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Closes a provider for maintenance, or opens it again. */
export const maintain = (system: Pick<World, 'world'>, code: GameCode, maintenance: boolean): Promise<void> =>
  arrange(system, code, { maintenance });

/** A call that the outside got: when it came, as an ISO time, and for how long it was being answered. */
export type OutsideCall = { at: string; ms: number; status: number };

/** What the provider was asked under one name, newest first. A call is there once it was answered, or left unanswered. */
export async function callsTo(system: Pick<World, 'world'>, code: GameCode, call: string): Promise<OutsideCall[]> {
  const { body } = await system.world(`GET /control/calls?target=game:${providerOf(code)}&call=${call}&limit=1000`);
  return body;
}

/** How often the provider was asked something. */
export const callsOf = async (system: Pick<World, 'world'>, code: GameCode, call: string): Promise<number> =>
  (await callsTo(system, code, call)).length;

/** Clears all faults: of the provider of a game, or of every party. */
export async function behave(system: World, code?: GameCode): Promise<void> {
  await system.world(`DELETE /control/faults${code === undefined ? '' : `?target=game:${providerOf(code)}`}`);
}

/** One settled round, in credits. */
export async function play(system: World, code: GameCode, username: string, stake: string, win: string): Promise<void> {
  const reply = await system.world('POST /games/{code}/players/{username}/play', {
    params: { code: providerOf(code), username },
    body: { stake, win },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

/** Opens a round whose stake stays outstanding, in credits. Answers what voids it: its stake comes back. */
export async function openBet(
  system: World,
  code: GameCode,
  username: string,
  stake: string,
): Promise<() => Promise<void>> {
  const params = { code: providerOf(code), username };
  const opened = await system.world('POST /games/{code}/players/{username}/play', {
    params,
    body: { stake, open: true },
  });
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  return async () => {
    const body = { roundId: opened.body.roundId, win: 'void' };
    const voided = await system.world('POST /games/{code}/players/{username}/settle', { params, body });
    assert.equal(voided.status, 200, JSON.stringify(voided.body));
  };
}

/** Balance at the provider, in decimal credits. */
export async function creditOf(system: World, code: GameCode, username: string): Promise<string> {
  const { body } = await system.world('GET /games/{code}/players/{username}', {
    params: { code: providerOf(code), username },
  });
  return body.balance;
}

/** Whom a game takes the browser for, and where it leads back to. */
type Seated = { username: string; language: string; returnUrl: string | null };

/** Opens a launch link, or posts a form, as the member's browser would; answers who the game takes them for. */
export async function playsAs(link: string, form?: URLSearchParams): Promise<Seated> {
  const page = await fetch(link, form && { method: 'POST', body: form });
  assert.equal(page.status, 200, 'the game opens');
  const opened = new URL(page.url);
  const state = await fetch(new URL('state', opened), {
    headers: { authorization: `Bearer ${opened.searchParams.get('ops') ?? ''}` },
  });
  assert.equal(state.status, 200, 'the game knows its player');
  return (await state.json()) as Seated;
}

export type Wish = { from: string; to: string; amount: unknown; key?: string };

export function transfer(system: World, token: string, { key, ...body }: Wish): Promise<ApiReply> {
  return system.api('POST /api/wallet/transfer', {
    token,
    body,
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
}

/** Waits until a question has the wanted answer; fails with the last one. */
export async function eventually<T>(what: string, ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const PATIENCE_MS = 60_000;
  const started = performance.now();
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() - started > PATIENCE_MS) {
      assert.fail(
        `${what}: still ${JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      );
    }
    await wait(60);
  }
}

/** States of a transfer's legs, by the reference that the member has received. */
export async function legStates({ database }: Pick<System, 'database'>, reference: string): Promise<string[]> {
  const { rows } = await database.query<{ state: string }>(
    `select l.state from transfer_leg l join transfer t on t.id = l.transfer_id where t.reference = $1 order by l.leg`,
    [reference],
  );
  return rows.map(({ state }) => state);
}

/** Waits until no transfer is pending, at one game or at all. */
export async function settled({ database }: Pick<System, 'database'>, code?: GameCode): Promise<void> {
  await eventually(
    'transfers under way',
    async () => {
      const { rows } = await database.query<{ open: number }>(
        `select count(*)::int as open from transfer_leg
          where state not in ('DONE', 'REVERSED') and ($1::text is null or game_code = $1)`,
        [code ?? null],
      );
      return rows[0]?.open ?? 0;
    },
    (open) => open === 0,
  );
}

/** The resolver has come to the end of everything; what waits for an operator by now, by the reference of the member. */
export async function waitsForOperator(
  system: Pick<System, 'database'>,
): Promise<{ reference: string; code: GameCode }[]> {
  const open = async () =>
    (
      await system.database.query<{ reference: string; code: GameCode; state: string }>(
        `select t.reference, l.game_code as code, l.state from transfer_leg l join transfer t on t.id = l.transfer_id
          where l.state not in ('DONE', 'REVERSED')`,
      )
    ).rows;
  return eventually('transfers under way', open, (legs) => legs.every(({ state }) => state === 'MANUAL'));
}

/** An operator settles a transfer that waits for one. */
export async function findOut(
  { database }: Pick<System, 'database'>,
  reference: string,
  isApplied: boolean,
): Promise<void> {
  const { rowCount } = await database.query(
    `update transfer_leg set proof = $2, code = $3, next_ask_at = now()
      where state = 'MANUAL' and provider_reference like $1 || '-%'`,
    [reference, isApplied ? 'APPLIED' : 'REFUSED', isApplied ? null : 'TRANSFER_FAIL'],
  );
  assert.equal(rowCount, 1, `${reference} waits for an operator`);
}

const pick = (players: Readonly<Record<string, unknown>>): [GameCode, string][] =>
  SEED.flatMap(({ code }) => {
    const username = players[code];
    return typeof username === 'string' ? [[code, username] as [GameCode, string]] : [];
  });

/** All audits of the ledger are zero, and a member's game accounts hold what the providers say: `players` has names by code. */
export async function assertBooksAgree(
  system: World,
  ledger: Ledger,
  memberId: string,
  players: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  for (const [code, username] of pick(players)) {
    const credit = await creditOf(system, code, username);
    const { free, held } = await balanceOf(ledger, memberId, `GAME:${code}`);
    assert.equal(held, '0.00', `held at ${code}`);
    assert.equal(toDecimal(minor(BigInt(free.replace('.', '')) * multiplierOf(code))), credit, `credits at ${code}`);
  }
}
