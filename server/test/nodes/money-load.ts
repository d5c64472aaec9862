import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api, ApiReply } from '../harness/api-client.ts';
import { creditOf, eventually, openGame, transfer } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

/** A way to the API: one node, or a balancer. */
export type Door = { api: Api };
export type Player = TestMember & { pg: string };
/** A money command of one member under one key, and what it moves when it succeeds, in baht. */
export type Command = {
  member: TestMember;
  moved: { wallet: number; game: number };
  send: (door: Door) => Promise<ApiReply>;
};
export type Acknowledged = Command & { answer: ApiReply; answeredMs: number; tries: number };

/** How long the app waits for an answer before it sends the same key again. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

/** Money commands with keys, and everything that they were answered. */
export class MoneyLoad {
  readonly acknowledged: Acknowledged[] = [];
  /** Every answer to a command, repeats and late ones included. */
  readonly replies: { door: Door; reply: ApiReply }[] = [];
  /** First tries that had no final answer: refused for the moment, cut off, or too late. */
  readonly missed: string[] = [];
  readonly #doors: readonly Door[];
  readonly #world: Api;
  readonly #patienceMs: number;
  #attempts = 0;

  /** @param doors each try goes to the next of them */
  constructor(doors: readonly Door[], world: Api, patienceMs = PATIENCE_MS) {
    this.#doors = doors;
    this.#world = world;
    this.#patienceMs = patienceMs;
  }

  /** Sends the same key until there is a final answer. */
  async carryOut(command: Command): Promise<Acknowledged> {
    for (let tried = 1; ; tried += 1) {
      const outcome = await this.#try(command);
      if (typeof outcome !== 'string') {
        const done = { ...command, answer: outcome, answeredMs: performance.now(), tries: tried };
        this.acknowledged.push(done);
        return done;
      }
      if (tried === 1) this.missed.push(outcome);
      await wait(PAUSE_MS);
    }
  }

  /** @returns the final answer, or why there is none */
  async #try(command: Command): Promise<ApiReply | string> {
    const door = this.#doors[(this.#attempts += 1) % this.#doors.length] as Door;
    const sent = command.send(door).then(
      (reply) => {
        this.replies.push({ door, reply });
        return isFinal(reply) ? reply : `${reply.status} ${JSON.stringify(reply.body)}`;
      },
      (error: Error) => `no answer: ${error.cause instanceof Error ? error.cause.message : error.message}`,
    );
    return Promise.race([sent, wait(this.#patienceMs, 'too late')]);
  }

  /** Moves one baht into the game and back, one command after the other, until `isOver`. */
  async play(player: Player, isOver: () => boolean): Promise<void> {
    for (let count = 0; !isOver(); count += 1) await this.carryOut(this.transferOf(player, count % 2 === 1));
  }

  transferOf(player: Player, isOut: boolean): Command {
    const key = randomUUID();
    const ends = isOut ? { from: 'pg', to: 'WALLET' } : { from: 'WALLET', to: 'pg' };
    return {
      member: player,
      moved: isOut ? { wallet: 1, game: -1 } : { wallet: -1, game: 1 },
      send: ({ api }) => transfer({ api, world: this.#world }, player.token, { ...ends, amount: 1, key }),
    };
  }

  withdrawalOf(member: TestMember, amount: number): Command {
    const key = randomUUID();
    return {
      member,
      moved: { wallet: -amount, game: 0 },
      send: ({ api }) => withdraw({ api, world: this.#world }, member, amount, key),
    };
  }

  /** Opens the game of a member and transfers money to it. */
  async seat(member: TestMember, amount: number): Promise<Player> {
    const system = { ...(this.#doors[0] as Door), world: this.#world };
    const { username } = await openGame(system, member.token, 'pg');
    const { status } = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount });
    assert.equal(status, 200);
    return { ...member, pg: username };
  }

  /** Waits until so many commands have a final answer; fails when there has been none for a minute. */
  async untilAcknowledged(count: number): Promise<void> {
    while (this.acknowledged.length < count) {
      const before = this.acknowledged.length;
      await eventually(
        'acknowledged commands',
        async () => this.acknowledged.length,
        (found) => found > before,
      );
    }
  }

  /** Every key again at each door: the answer is the same. */
  async assertReplays(doors: readonly Door[], commands: readonly Acknowledged[] = this.acknowledged): Promise<void> {
    for (const { send, answer } of commands) {
      const again = await Promise.all(doors.map((door) => send(door)));
      for (const { status, body } of again) assert.deepEqual([status, body], [answer.status, answer.body]);
    }
  }

  /** A member has at each door what the acknowledged commands left of the money before them, and so says the provider. */
  async assertMoney(doors: readonly Door[], member: TestMember | Player, before: Command['moved']): Promise<void> {
    const done = this.acknowledged.filter((one) => one.member === member && one.answer.status === 200);
    const left = (end: keyof Command['moved']): number => done.reduce((sum, one) => sum + one.moved[end], before[end]);
    for (const { api } of doors) {
      await eventually(
        'the money in the wallet',
        async () => (await api('GET /api/wallet', { token: member.token })).body.wallet?.amount as number,
        (amount) => amount === left('wallet'),
      );
    }
    if (!('pg' in member)) return;
    assert.equal(Number(await creditOf({ ...(doors[0] as Door), world: this.#world }, 'pg', member.pg)), left('game'));
  }

  /** No answer was a 500; those of an outage say when to try again. */
  assertTyped(): void {
    for (const { reply } of this.replies) {
      const { status, body } = reply;
      if (status === 503) assertBusy(reply);
      else assert.ok(status < 500 || body.message === 'TRANSFER_FAIL', `${status} ${JSON.stringify(body)}`);
    }
  }
}

/** Neither "again with the same key" nor "still pending". */
export const isFinal = ({ status, body }: ApiReply): boolean =>
  status !== 503 && status !== 202 && body.message !== 'REQUEST_LIMIT';

/** The answer of an outage. */
export function assertBusy({ status, headers, body }: ApiReply): void {
  assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
  assert.ok(Number(headers.get('retry-after')) > 0);
}
