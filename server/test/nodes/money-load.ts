import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api, ApiReply } from '../harness/api-client.ts';
import { readProviderCredit, waitUntilResult, openGame, transfer } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

/** API client of one node, or of a load balancer. */
export type ApiNode = { api: Api };
export type LoadPlayer = TestMember & { pg: string };
/** A money command of one member with its key, and the amounts that it moves on success, in baht. */
export type LoadCommand = {
  member: TestMember;
  movedBaht: { wallet: number; game: number };
  send: (node: ApiNode) => Promise<ApiReply>;
};
export type AcknowledgedCommand = LoadCommand & { finalReply: ApiReply; repliedAtMs: number; tryCount: number };

/** How long the app waits for a reply before it repeats the key. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

/** Money commands with keys, and all their replies. */
export class MoneyLoad {
  readonly acknowledgedCommands: AcknowledgedCommand[] = [];
  /** Every answer to a command, repeats and late ones included. */
  readonly replies: { node: ApiNode; reply: ApiReply }[] = [];
  /** First tries without a final reply: refused temporarily, disconnected, or too late. */
  readonly missedTries: string[] = [];
  readonly #doors: readonly ApiNode[];
  readonly #simulatorsApi: Api;
  readonly #patienceMs: number;
  #attempts = 0;

  /** @param nodes used in turn, one per try */
  constructor(nodes: readonly ApiNode[], simulatorsApi: Api, patienceMs = PATIENCE_MS) {
    this.#doors = nodes;
    this.#simulatorsApi = simulatorsApi;
    this.#patienceMs = patienceMs;
  }

  /** Repeats the same key until there is a final reply. */
  async runCommand(command: LoadCommand): Promise<AcknowledgedCommand> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#try(command);
      if (typeof outcome !== 'string') {
        const acknowledgedCommand = {
          ...command,
          finalReply: outcome,
          repliedAtMs: performance.now(),
          tryCount: attempt,
        };
        this.acknowledgedCommands.push(acknowledgedCommand);
        return acknowledgedCommand;
      }
      if (attempt === 1) this.missedTries.push(outcome);
      await wait(PAUSE_MS);
    }
  }

  /** @returns the final reply, or the reason why there is none */
  async #try(command: LoadCommand): Promise<ApiReply | string> {
    const node = this.#doors[(this.#attempts += 1) % this.#doors.length] as ApiNode;
    const pendingReply = command.send(node).then(
      (reply) => {
        this.replies.push({ node, reply });
        return isFinalReply(reply) ? reply : `${reply.status} ${JSON.stringify(reply.body)}`;
      },
      (error: Error) => `no answer: ${error.cause instanceof Error ? error.cause.message : error.message}`,
    );
    return Promise.race([pendingReply, wait(this.#patienceMs, 'too late')]);
  }

  /** Transfers one baht into the game and back, one command after another, until `isOver`. */
  async play(player: LoadPlayer, isOver: () => boolean): Promise<void> {
    for (let count = 0; !isOver(); count += 1) await this.runCommand(this.transferOf(player, count % 2 === 1));
  }

  transferOf(player: LoadPlayer, isOut: boolean): LoadCommand {
    const key = randomUUID();
    const legAccounts = isOut ? { from: 'pg', to: 'WALLET' } : { from: 'WALLET', to: 'pg' };
    return {
      member: player,
      movedBaht: isOut ? { wallet: 1, game: -1 } : { wallet: -1, game: 1 },
      send: ({ api }) =>
        transfer({ api, simulatorsApi: this.#simulatorsApi }, player.token, { ...legAccounts, amount: 1, key }),
    };
  }

  withdrawalCommand(member: TestMember, amount: number): LoadCommand {
    const key = randomUUID();
    return {
      member,
      movedBaht: { wallet: -amount, game: 0 },
      send: ({ api }) => withdraw({ api, simulatorsApi: this.#simulatorsApi }, member, amount, key),
    };
  }

  /** Opens a member's game and transfers money to it. */
  async openPlayer(member: TestMember, amount: number): Promise<LoadPlayer> {
    const system = { ...(this.#doors[0] as ApiNode), simulatorsApi: this.#simulatorsApi };
    const { username } = await openGame(system, member.token, 'pg');
    const { status } = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount });
    assert.equal(status, 200);
    return { ...member, pg: username };
  }

  /** Waits until this many commands have a final reply; fails after a minute without one. */
  async untilAcknowledged(count: number): Promise<void> {
    while (this.acknowledgedCommands.length < count) {
      const before = this.acknowledgedCommands.length;
      await waitUntilResult(
        'acknowledged commands',
        async () => this.acknowledgedCommands.length,
        (foundBalance) => foundBalance > before,
      );
    }
  }

  /** Every key again at each door: the answer is the same. */
  async assertReplays(
    nodes: readonly ApiNode[],
    commands: readonly AcknowledgedCommand[] = this.acknowledgedCommands,
  ): Promise<void> {
    for (const { send, finalReply } of commands) {
      const repeatedReplies = await Promise.all(nodes.map((node) => send(node)));
      for (const { status, body } of repeatedReplies)
        assert.deepEqual([status, body], [finalReply.status, finalReply.body]);
    }
  }

  /**
   * Asserts on every node, and at the provider, that a member has the initial money changed by the acknowledged
   * commands.
   */
  async assertMoney(
    nodes: readonly ApiNode[],
    member: TestMember | LoadPlayer,
    before: LoadCommand['movedBaht'],
  ): Promise<void> {
    const acceptedCommands = this.acknowledgedCommands.filter(
      (acknowledgedCommand) => acknowledgedCommand.member === member && acknowledgedCommand.finalReply.status === 200,
    );
    const remainingIn = (account: keyof LoadCommand['movedBaht']): number =>
      acceptedCommands.reduce(
        (total, acknowledgedCommand) => total + acknowledgedCommand.movedBaht[account],
        before[account],
      );
    for (const { api } of nodes) {
      await waitUntilResult(
        'the money in the wallet',
        async () => (await api('GET /api/wallet', { token: member.token })).body.wallet?.amount as number,
        (amount) => amount === remainingIn('wallet'),
      );
    }
    if (!('pg' in member)) return;
    assert.equal(
      Number(
        await readProviderCredit({ ...(nodes[0] as ApiNode), simulatorsApi: this.#simulatorsApi }, 'pg', member.pg),
      ),
      remainingIn('game'),
    );
  }

  /** Asserts that no reply was a 500, and that replies during an outage name a retry time. */
  assertTyped(): void {
    for (const { reply } of this.replies) {
      const { status, body } = reply;
      if (status === 503) assertBusyReply(reply);
      else assert.ok(status < 500 || body.message === 'TRANSFER_FAIL', `${status} ${JSON.stringify(body)}`);
    }
  }
}

/** Neither "again with the same key" nor "still pending". */
export const isFinalReply = ({ status, body }: ApiReply): boolean =>
  status !== 503 && status !== 202 && body.message !== 'REQUEST_LIMIT';

/** The answer of an outage. */
export function assertBusyReply({ status, headers, body }: ApiReply): void {
  assert.deepEqual([status, body], [503, { message: 'REQUEST_LIMIT', detail: 'BUSY' }]);
  assert.ok(Number(headers.get('retry-after')) > 0);
}
