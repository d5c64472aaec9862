import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import {
  clearProviderFaults,
  failProvider,
  openGame,
  openLaunchLink,
  outsideWithProviderTimeout,
} from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

/** A game whose launch link contains the password. */
const GAME_CODE = 'askmebet';
const RESET_CALL = 'reset-password';

type GameLogin = { username: string; password: string };

describe('a password reset without a reply', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  });
  after(() => system?.stop());

  const callAccount = (action: 'account' | 'resetpassword', token: string): Promise<ApiReply> =>
    system.api(`GET /api/wallet/${action}/{slotCode}`, { token, params: { slotCode: GAME_CODE } });
  const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];

  /** A reset without a reply, repeated, aged by a minute. */
  async function loseResetReply(
    token: string,
    memberId: string,
    fault: 'timeout-lost' | 'timeout-applied',
  ): Promise<void> {
    await failProvider(system, GAME_CODE, { fault, call: RESET_CALL, times: 2 });
    assert.deepEqual(summaryOf(await callAccount('resetpassword', token)), [
      502,
      'SLOT_RESET_PASSWORD_FAIL',
      'OUTCOME_UNKNOWN',
    ]);
    await system.database.query(
      `update game_account set password_reset_at = now() - interval '61 seconds' where member_id = $1`,
      [memberId],
    );
  }

  async function assertOpens(token: string, { username, password }: GameLogin): Promise<void> {
    const shownReply = await callAccount('account', token);
    assert.deepEqual([shownReply.status, shownReply.body], [200, { username, password }]);
    const { body } = await system.api(`GET /api/autoLogin/${GAME_CODE}/${username}/x`, { token });
    assert.equal((await openLaunchLink(body.link)).username, username);
  }

  for (const fault of ['timeout-lost', 'timeout-applied'] as const) {
    test(`after a lost reset, a password that stays refused is replaced by a new one: ${fault} [R-GAME-02]`, async () => {
      const { token, id } = await registerMember(system);
      const gameCredentials = await openGame(system, token, GAME_CODE);
      await loseResetReply(token, id, fault);
      await failProvider(system, GAME_CODE, { fault: 'decline', call: RESET_CALL });
      const reset = await callAccount('resetpassword', token);
      assert.equal(reset.status, 200, JSON.stringify(reset.body));
      assert.notEqual(reset.body.password, gameCredentials.password);
      await assertOpens(token, reset.body);
    });
  }

  test('after a lost reset the password stays one of two while all others are refused [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const gameCredentials = await openGame(system, token, GAME_CODE);
    await loseResetReply(token, id, 'timeout-applied');
    await failProvider(system, GAME_CODE, { fault: 'decline', call: RESET_CALL, times: 2 });
    assert.deepEqual(summaryOf(await callAccount('resetpassword', token)), [
      502,
      'SLOT_RESET_PASSWORD_FAIL',
      undefined,
    ]);
    await clearProviderFaults(system);
    const { body } = await callAccount('account', token);
    assert.notEqual(body.password, gameCredentials.password, 'the provider’s password');
    await assertOpens(token, body);
  });

  test('after a lost reset the password is shown unchanged while the provider is silent [R-GAME-02]', async () => {
    const { token, id } = await registerMember(system);
    const gameCredentials = await openGame(system, token, GAME_CODE);
    await loseResetReply(token, id, 'timeout-lost');
    await system.database.query(`update game_account set provider = 'gone' where member_id = $1`, [id]);
    const shownReply = await callAccount('account', token);
    assert.deepEqual([shownReply.status, shownReply.body], [200, gameCredentials]);
  });
});
