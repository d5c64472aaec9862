import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { behave, misbehave, openGame, playsAs, providersWithin } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

/** A game whose launch link contains the password. */
const CODE = 'askmebet';
const CALL = 'reset-password';

type Login = { username: string; password: string };

describe('a password that was reset without an answer', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
  });
  after(() => system?.stop());

  const call = (word: 'account' | 'resetpassword', token: string): Promise<ApiReply> =>
    system.api(`GET /api/wallet/${word}/{slotCode}`, { token, params: { slotCode: CODE } });
  const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];

  /** A reset without a reply, repeated, aged by a minute. */
  async function loseReset(token: string, memberId: string, fault: 'timeout-lost' | 'timeout-applied'): Promise<void> {
    await misbehave(system, CODE, { fault, call: CALL, times: 2 });
    assert.deepEqual(summaryOf(await call('resetpassword', token)), [
      502,
      'SLOT_RESET_PASSWORD_FAIL',
      'OUTCOME_UNKNOWN',
    ]);
    await system.database.query(
      `update game_account set password_reset_at = now() - interval '61 seconds' where member_id = $1`,
      [memberId],
    );
  }

  async function assertOpens(token: string, { username, password }: Login): Promise<void> {
    const shown = await call('account', token);
    assert.deepEqual([shown.status, shown.body], [200, { username, password }]);
    const { body } = await system.api(`GET /api/autoLogin/${CODE}/${username}/x`, { token });
    assert.equal((await playsAs(body.link)).username, username);
  }

  for (const fault of ['timeout-lost', 'timeout-applied'] as const) {
    test(`and is refused ever since gives way to another: ${fault} [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      const opened = await openGame(system, token, CODE);
      await loseReset(token, id, fault);
      await misbehave(system, CODE, { fault: 'decline', call: CALL });
      const reset = await call('resetpassword', token);
      assert.equal(reset.status, 200, JSON.stringify(reset.body));
      assert.notEqual(reset.body.password, opened.password);
      await assertOpens(token, reset.body);
    });
  }

  test('stays one of two while all others are refused as well [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const opened = await openGame(system, token, CODE);
    await loseReset(token, id, 'timeout-applied');
    await misbehave(system, CODE, { fault: 'decline', call: CALL, times: 2 });
    assert.deepEqual(summaryOf(await call('resetpassword', token)), [502, 'SLOT_RESET_PASSWORD_FAIL', undefined]);
    await behave(system);
    const { body } = await call('account', token);
    assert.notEqual(body.password, opened.password, 'the provider’s password');
    await assertOpens(token, body);
  });

  test('is shown unchanged while the provider can’t be asked [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const opened = await openGame(system, token, CODE);
    await loseReset(token, id, 'timeout-lost');
    await system.database.query(`update game_account set provider = 'gone' where member_id = $1`, [id]);
    const shown = await call('account', token);
    assert.deepEqual([shown.status, shown.body], [200, opened]);
  });
});
