import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { StatementEntry } from '../../src/modules/statement/statement.ts';
import { waitUntilResult, openGame, playRound, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { clearBonus, insertOffer, receiveBonus } from './bonus-fixtures.ts';

type BonusEnding = { reference: string; kind: string; name: string; how: string; endedAt: string };

describe('a bonus that ends automatically', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  /** 200 of their own and 200 of a bonus, all in a game: met at 600, lost at 40. */
  const newPlayerWithBonus = async (): Promise<TestMember & { username: string; code: string }> => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'pg');
    await fundWallet(ledger, member.id, '200.00');
    const code = await insertOffer(system, { success: 150 });
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 400 })).status, 200);
    return { ...member, username, code };
  };
  const languageHeaders = (language: string) => ({ headers: { cookie: `language=${language}` } });
  /** Endings that the app shows a member after the home page has refreshed the games. */
  const readBonusEndings = async ({ token }: TestMember, language = 'EN'): Promise<BonusEnding[]> => {
    assert.equal((await system.api('GET /api/wallet/refresh/slot', { token })).status, 200);
    const { status, body } = await system.api('GET /api/bonus/ended', { token, ...languageHeaders(language) });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const readEndedStatement = async ({ token }: TestMember, language = 'EN'): Promise<StatementEntry | undefined> => {
    const { body } = await system.api('POST /api/statement', { token, body: {}, ...languageHeaders(language) });
    return body.statements.find(({ statementType }: StatementEntry) => statementType === 'finish_bonus');
  };

  for (const [title, stake, win, endReason] of [
    ['fulfilled', '10', '210', 'SUCCESS'],
    ['lost', '380', '0', 'FAILED'],
  ] as const) {
    test(`the member of a ${title} bonus is notified of its end in their language once the games are refreshed`, async () => {
      const member = await newPlayerWithBonus();
      assert.deepEqual(await readBonusEndings(member), []);
      await playRound(system, 'pg', member.username, stake, win);
      const [newestEnding, ...olderEndings] = await readBonusEndings(member);
      assert.deepEqual(olderEndings, []);
      assert.deepEqual(
        [newestEnding?.kind, newestEnding?.name, newestEnding?.how],
        ['BONUS', `${member.code} en`, endReason],
      );
      assert.equal((await readBonusEndings(member, 'LA'))[0]?.name, `${member.code} la`);
      const endedStatement = await readEndedStatement(member);
      assert.deepEqual([endedStatement?.reference, endedStatement?.end], [newestEnding?.reference, endReason]);
    });
  }

  test('an expired bonus is reported as expired, also in the statement, not as cancelled', async () => {
    const member = await newPlayerWithBonus();
    await system.database.query(
      `update incentive_condition set expires_at = now() - interval '1 s', look_at = now() where member_id = $1`,
      [member.id],
    );
    const [newestEnding] = await waitUntilResult(
      'the end',
      () => readBonusEndings(member),
      ({ length }) => length > 0,
    );
    assert.deepEqual([newestEnding?.name, newestEnding?.how], [`${member.code} en`, 'EXPIRED']);
    const endedStatement = await readEndedStatement(member);
    assert.deepEqual([endedStatement?.amount, endedStatement?.end], [-200, 'EXPIRED']);
  });

  test('a bonus cancelled by its member causes no notice of its end, and the statement shows it', async () => {
    const member = await newPlayerWithBonus();
    assert.equal((await clearBonus(system, member)).status, 200);
    assert.deepEqual(await readBonusEndings(member), []);
    assert.equal((await readEndedStatement(member))?.end, 'CANCELLED');
  });

  test("the statement names a bonus in the reader's language, whatever the language at its receipt [R-STMT-02]", async () => {
    const member = await newPlayerWithBonus();
    assert.equal((await clearBonus(system, member)).status, 200);
    for (const language of ['TH', 'LA', 'EN']) {
      const endedStatement = await readEndedStatement(member, language);
      assert.equal(endedStatement?.bonus?.description, `${member.code} ${language.toLowerCase()}`);
    }
  });
});
