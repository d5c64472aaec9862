import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, readProviderCredit, multiplierOf, untilSettled, transfer } from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForNoOpenWithdrawals, setPayoutDelay, readReceivedAmount, withdraw } from '../withdraw/payout-fixtures.ts';

/** Members with the same concurrent commands, so that they meet in several orders. */
const MEMBER_COUNT = 6;
const COPIES_PER_COMMAND = 3;

/** Outcome of a command: its amount in baht, or the code of its refusal. */
type Outcome = number | string;

/** The refusal with a retry delay. */
const IN_PROGRESS = 'REQUEST_LIMIT TRANSFER_IN_PROGRESS';
const WAIT_OUTCOMES = ['MONEY_NOT_ENOUGH', IN_PROGRESS];

const refusalTextOf = (refusalReply: ApiReply | undefined): string =>
  [refusalReply?.body.message, refusalReply?.body.detail].filter(Boolean).join(' ');

describe('moving the whole wallet during other commands', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    await setPayoutDelay(system, 20);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const newMember = (amount: string): Promise<GamingMember> => gamingMemberWith(system, ledger, amount);
  const newMembers = async (amount: string): Promise<GamingMember[]> => {
    const members: GamingMember[] = [];
    for (let count = 0; count < MEMBER_COUNT; count += 1) members.push(await newMember(amount));
    return members;
  };
  const transferAll = ({ token }: GamingMember, to: string, key: string): Promise<ApiReply> =>
    system.api('POST /api/wallet/transferAll', { token, body: { to }, idempotencyKey: key });
  const transferPart = ({ token }: GamingMember, to: string, amount: number, key: string): Promise<ApiReply> =>
    transfer(system, token, { from: 'WALLET', to, amount, key });
  const waitForQuiet = async (): Promise<void> => {
    await untilSettled(system);
    await waitForNoOpenWithdrawals(system);
  };

  /** Sends commands concurrently, each several times with its key. @returns the one outcome of each */
  async function sendConcurrently(
    commands: { sendCommand: () => Promise<ApiReply>; amount?: number }[],
  ): Promise<Outcome[]> {
    const concurrentCommands = Array.from({ length: COPIES_PER_COMMAND }, () => commands).flat();
    const replies = await Promise.all(concurrentCommands.map(({ sendCommand }) => sendCommand()));
    await waitForQuiet();
    return commands.map(({ amount }, index) => {
      const outcomes = replies.filter((_, position) => position % commands.length === index);
      const replyBodies = JSON.stringify(outcomes.map(({ body }) => body));
      const done = outcomes.filter(({ status }) => status === 200);
      const [first] = done;
      if (!first) return refusalTextOf(outcomes[0]);
      // A refusal is not stored for its key: the command may be repeated.
      const refusalTexts = outcomes.filter(({ status }) => status !== 200).map(refusalTextOf);
      assert.ok(
        refusalTexts.every((refusal) => [IN_PROGRESS, 'MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM'].includes(refusal)),
        replyBodies,
      );
      assert.ok(
        done.every(({ body }) => body.reference === first.body.reference),
        replyBodies,
      );
      return first.body.amount ?? amount ?? assert.fail('no amount');
    });
  }

  const sumOf = (outcomes: readonly Outcome[]): number =>
    outcomes.reduce<number>((total, outcome) => total + (typeof outcome === 'number' ? outcome : 0), 0);

  /** The providers hold the transferred amounts, the wallet the rest. */
  async function assertAccounted(member: GamingMember, start: number, toPg: Outcome, toAskmebet: Outcome, rest = 0) {
    const amountInCredits = (outcome: Outcome, creditRate: bigint) =>
      (sumOf([outcome]) * Number(creditRate)).toFixed(2);
    assert.equal(await readProviderCredit(system, 'pg', member.pg), amountInCredits(toPg, multiplierOf('pg')));
    const providerCredit = await readProviderCredit(system, 'askmebet', member.askmebet);
    assert.equal(providerCredit, amountInCredits(toAskmebet, multiplierOf('askmebet')));
    const { free, held } = await readBalance(ledger, member.id, 'WALLET');
    assert.deepEqual([free, held], [(start - sumOf([toPg, toAskmebet]) - rest).toFixed(2), '0.00']);
    await assertBooksAgree(system, ledger, member.id, member);
  }

  test('the whole wallet and an amount for another game never overdraw: each key once, each reply with its outcome [R-XFER-04]', async () => {
    const members = await newMembers('100.00');
    for (const member of members) {
      const [allOutcome = '', partOutcome = ''] = await sendConcurrently([
        { sendCommand: () => transferAll(member, 'pg', 'everything-and-a-part') },
        { sendCommand: () => transferPart(member, 'askmebet', 40, 'a-part-of-everything'), amount: 40 },
      ]);
      // A command that read the balance before the other one took it finds too little money, and transfers nothing.
      assert.ok([100, 60, 'MONEY_NOT_ENOUGH'].includes(allOutcome), String(allOutcome));
      assert.ok([40, 'MONEY_NOT_ENOUGH'].includes(partOutcome), String(partOutcome));
      assert.ok(sumOf([allOutcome, partOutcome]) > 0, 'one of them went through');
      await assertAccounted(member, 100, allOutcome, partOutcome);
    }
  });

  test('the whole wallet and an amount into the same game are sequential, or refused with a retry delay [R-XFER-04]', async () => {
    const members = await newMembers('100.00');
    for (const member of members) {
      const [allOutcome = '', playOutcome = ''] = await sendConcurrently([
        { sendCommand: () => transferAll(member, 'pg', 'everything-to-play') },
        { sendCommand: () => transferPart(member, 'pg', 40, 'play-with-an-amount'), amount: 40 },
      ]);
      assert.ok([100, 60, ...WAIT_OUTCOMES].includes(allOutcome), String(allOutcome));
      assert.ok([40, ...WAIT_OUTCOMES].includes(playOutcome), String(playOutcome));
      assert.ok(sumOf([allOutcome, playOutcome]) > 0, 'one of them went through');
      await assertAccounted(member, 100, sumOf([allOutcome, playOutcome]), 0);
    }
  });

  test('the whole wallet into two games: one receives all of it, the other is refused [R-XFER-04]', async () => {
    const members = await newMembers('123.45');
    for (const member of members) {
      const outcomes = await sendConcurrently([
        { sendCommand: () => transferAll(member, 'pg', 'everything-into-one') },
        { sendCommand: () => transferAll(member, 'askmebet', 'everything-into-other') },
      ]);
      const [firstOutcome = '', otherOutcome = ''] = outcomes;
      assert.equal(sumOf(outcomes), 123.45, outcomes.join());
      const refusedOutcome = typeof firstOutcome === 'string' ? firstOutcome : otherOutcome;
      assert.ok(['MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM'].includes(String(refusedOutcome)), String(refusedOutcome));
      await assertAccounted(member, 123.45, firstOutcome, otherOutcome);
    }
  });

  test('the whole wallet and a withdrawal: the promised payout is paid, the rest moves or stays [R-XFER-04] [R-WDR-02]', async () => {
    const members = await newMembers('300.00');
    for (const member of members) {
      const [allOutcome = '', outOutcome = ''] = await sendConcurrently([
        { sendCommand: () => transferAll(member, 'pg', 'everything-but-a-payout') },
        { sendCommand: () => withdraw(system, member, 200, 'a-payout-meanwhile'), amount: 200 },
      ]);
      assert.ok([300, 100, 'MONEY_NOT_ENOUGH'].includes(allOutcome), String(allOutcome));
      assert.ok(
        [200, 'MONEY_NOT_ENOUGH', 'REQUEST_LIMIT TRANSFER_IN_PROGRESS'].includes(outOutcome),
        String(outOutcome),
      );
      assert.ok(sumOf([allOutcome, outOutcome]) > 0, 'one of them went through');
      assert.equal(await readReceivedAmount(system, member), sumOf([outOutcome]).toFixed(2));
      await assertAccounted(member, 300, allOutcome, 0, sumOf([outOutcome]));
    }
  });
});
