import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { StatementEntry } from '../../src/modules/statement/statement.ts';
import { eventually, openGame, play, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { clear, makeOffer, receive } from './bonus-world.ts';

type Ending = { reference: string; kind: string; name: string; how: string; endedAt: string };

describe('a bonus that ends by itself', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  /** 200 of their own and 200 of a bonus, all in a game: met at 600, lost at 40. */
  const player = async (): Promise<TestMember & { username: string; code: string }> => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'pg');
    await fund(ledger, member.id, '200.00');
    const code = await makeOffer(system, { success: 150 });
    assert.equal((await receive(system, member, code)).status, 200);
    assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 400 })).status, 200);
    return { ...member, username, code };
  };
  const cookie = (language: string) => ({ headers: { cookie: `language=${language}` } });
  /** What a member is shown unasked, after the home page has refreshed the games. */
  const endings = async ({ token }: TestMember, language = 'EN'): Promise<Ending[]> => {
    assert.equal((await system.api('GET /api/wallet/refresh/slot', { token })).status, 200);
    const { status, body } = await system.api('GET /api/bonus/ended', { token, ...cookie(language) });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const endOf = async ({ token }: TestMember, language = 'EN'): Promise<StatementEntry | undefined> => {
    const { body } = await system.api('POST /api/statement', { token, body: {}, ...cookie(language) });
    return body.statements.find(({ statementType }: StatementEntry) => statementType === 'finish_bonus');
  };

  for (const [what, stake, win, how] of [
    ['met', '10', '210', 'SUCCESS'],
    ['lost', '380', '0', 'FAILED'],
  ] as const) {
    test(`${what}: its member is notified in their language, as soon as the games have been refreshed`, async () => {
      const member = await player();
      assert.deepEqual(await endings(member), []);
      await play(system, 'pg', member.username, stake, win);
      const [one, ...more] = await endings(member);
      assert.deepEqual(more, []);
      assert.deepEqual([one?.kind, one?.name, one?.how], ['BONUS', `${member.code} en`, how]);
      assert.equal((await endings(member, 'LA'))[0]?.name, `${member.code} la`);
      const line = await endOf(member);
      assert.deepEqual([line?.reference, line?.end], [one?.reference, how]);
    });
  }

  test('out of time: it is reported as expired, and so in the statement, not as given up', async () => {
    const member = await player();
    await system.database.query(
      `update incentive_condition set expires_at = now() - interval '1 s', look_at = now() where member_id = $1`,
      [member.id],
    );
    const [one] = await eventually(
      'the end',
      () => endings(member),
      ({ length }) => length > 0,
    );
    assert.deepEqual([one?.name, one?.how], [`${member.code} en`, 'EXPIRED']);
    const line = await endOf(member);
    assert.deepEqual([line?.amount, line?.end], [-200, 'EXPIRED']);
  });

  test('cancelled by its member: no notice of the end, and the statement shows it', async () => {
    const member = await player();
    assert.equal((await clear(system, member)).status, 200);
    assert.deepEqual(await endings(member), []);
    assert.equal((await endOf(member))?.end, 'CANCELLED');
  });

  test('the statement names it in the language that it is read in, whatever it was received in [R-STMT-02]', async () => {
    const member = await player();
    assert.equal((await clear(system, member)).status, 200);
    for (const language of ['TH', 'LA', 'EN']) {
      const line = await endOf(member, language);
      assert.equal(line?.bonus?.description, `${member.code} ${language.toLowerCase()}`);
    }
  });
});
