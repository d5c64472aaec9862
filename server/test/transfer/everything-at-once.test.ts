import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, creditOf, multiplierOf, settled, transfer } from '../harness/games.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, receivedBy, withdraw } from '../withdraw/payout-fixtures.ts';

/** Members with the same concurrent commands, so that they meet in several orders. */
const MEMBERS = 6;
const TIMES = 3;

/** Outcome of a command: its amount in baht, or the code of its refusal. */
type Ending = number | string;

/** The refusal with a retry delay. */
const WAIT = 'REQUEST_LIMIT TRANSFER_IN_PROGRESS';

const endingOf = (refusal: ApiReply | undefined): string =>
  [refusal?.body.message, refusal?.body.detail].filter(Boolean).join(' ');

describe('everything that is free, and other commands for the same money at the same moment', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
    await payoutsTake(system, 20);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const gamer = (amount: string): Promise<Gamer> => gamerWith(system, ledger, amount);
  const gamers = async (amount: string): Promise<Gamer[]> => {
    const all: Gamer[] = [];
    for (let count = 0; count < MEMBERS; count += 1) all.push(await gamer(amount));
    return all;
  };
  const everything = ({ token }: Gamer, to: string, key: string): Promise<ApiReply> =>
    system.api('POST /api/wallet/transferAll', { token, body: { to }, idempotencyKey: key });
  const part = ({ token }: Gamer, to: string, amount: number, key: string): Promise<ApiReply> =>
    transfer(system, token, { from: 'WALLET', to, amount, key });
  const quiet = async (): Promise<void> => {
    await settled(system);
    await nothingOpen(system);
  };

  /** Sends commands concurrently, each several times with its key. @returns the one outcome of each */
  async function atOnce(commands: { ask: () => Promise<ApiReply>; amount?: number }[]): Promise<Ending[]> {
    const volley = Array.from({ length: TIMES }, () => commands).flat();
    const replies = await Promise.all(volley.map(({ ask }) => ask()));
    await quiet();
    return commands.map(({ amount }, index) => {
      const outcomes = replies.filter((_, place) => place % commands.length === index);
      const all = JSON.stringify(outcomes.map(({ body }) => body));
      const done = outcomes.filter(({ status }) => status === 200);
      const [first] = done;
      if (!first) return endingOf(outcomes[0]);
      // A refusal is not stored for its key: the command may be repeated.
      const refused = outcomes.filter(({ status }) => status !== 200).map(endingOf);
      assert.ok(
        refused.every((ending) => [WAIT, 'MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM'].includes(ending)),
        all,
      );
      assert.ok(
        done.every(({ body }) => body.reference === first.body.reference),
        all,
      );
      return first.body.amount ?? amount ?? assert.fail('no amount');
    });
  }

  const sumOf = (endings: readonly Ending[]): number =>
    endings.reduce<number>((sum, ending) => sum + (typeof ending === 'number' ? ending : 0), 0);

  /** The providers hold the transferred amounts, the wallet the rest. */
  async function assertAccounted(member: Gamer, start: number, toPg: Ending, toAskmebet: Ending, rest = 0) {
    const inCredits = (ending: Ending, rate: bigint) => (sumOf([ending]) * Number(rate)).toFixed(2);
    assert.equal(await creditOf(system, 'pg', member.pg), inCredits(toPg, multiplierOf('pg')));
    const there = await creditOf(system, 'askmebet', member.askmebet);
    assert.equal(there, inCredits(toAskmebet, multiplierOf('askmebet')));
    const { free, held } = await balanceOf(ledger, member.id, 'WALLET');
    assert.deepEqual([free, held], [(start - sumOf([toPg, toAskmebet]) - rest).toFixed(2), '0.00']);
    await assertBooksAgree(system, ledger, member.id, member);
  }

  test('with an amount for another game: never overdrawn, each key once, each answer says what it came to [R-XFER-04]', async () => {
    const members = await gamers('100.00');
    for (const member of members) {
      const [all = '', some = ''] = await atOnce([
        { ask: () => everything(member, 'pg', 'everything-and-a-part') },
        { ask: () => part(member, 'askmebet', 40, 'a-part-of-everything'), amount: 40 },
      ]);
      // A command that read a balance which the other then took finds too little, and moves nothing.
      assert.ok([100, 60, 'MONEY_NOT_ENOUGH'].includes(all), String(all));
      assert.ok([40, 'MONEY_NOT_ENOUGH'].includes(some), String(some));
      assert.ok(sumOf([all, some]) > 0, 'one of them went through');
      await assertAccounted(member, 100, all, some);
    }
  });

  test('with playing the same game with an amount: one after the other, or refused with a retry delay [R-XFER-04]', async () => {
    const members = await gamers('100.00');
    for (const member of members) {
      const [all = '', play = ''] = await atOnce([
        { ask: () => everything(member, 'pg', 'everything-to-play') },
        { ask: () => part(member, 'pg', 40, 'play-with-an-amount'), amount: 40 },
      ]);
      const waits = ['MONEY_NOT_ENOUGH', WAIT];
      assert.ok([100, 60, ...waits].includes(all), String(all));
      assert.ok([40, ...waits].includes(play), String(play));
      assert.ok(sumOf([all, play]) > 0, 'one of them went through');
      await assertAccounted(member, 100, sumOf([all, play]), 0);
    }
  });

  test('twice, into two games: one has all of it, the other is refused because nothing is left [R-XFER-04]', async () => {
    const members = await gamers('123.45');
    for (const member of members) {
      const endings = await atOnce([
        { ask: () => everything(member, 'pg', 'everything-into-one') },
        { ask: () => everything(member, 'askmebet', 'everything-into-other') },
      ]);
      const [one = '', other = ''] = endings;
      assert.equal(sumOf(endings), 123.45, endings.join());
      const refused = typeof one === 'string' ? one : other;
      assert.ok(['MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM'].includes(String(refused)), String(refused));
      await assertAccounted(member, 123.45, one, other);
    }
  });

  test('with a withdrawal: what was promised to be paid is paid, the rest moves or stays [R-XFER-04] [R-WDR-02]', async () => {
    const members = await gamers('300.00');
    for (const member of members) {
      const [all = '', out = ''] = await atOnce([
        { ask: () => everything(member, 'pg', 'everything-but-a-payout') },
        { ask: () => withdraw(system, member, 200, 'a-payout-meanwhile'), amount: 200 },
      ]);
      assert.ok([300, 100, 'MONEY_NOT_ENOUGH'].includes(all), String(all));
      assert.ok([200, 'MONEY_NOT_ENOUGH', 'REQUEST_LIMIT TRANSFER_IN_PROGRESS'].includes(out), String(out));
      assert.ok(sumOf([all, out]) > 0, 'one of them went through');
      assert.equal(await receivedBy(system, member), sumOf([out]).toFixed(2));
      await assertAccounted(member, 300, all, 0, sumOf([out]));
    }
  });
});
