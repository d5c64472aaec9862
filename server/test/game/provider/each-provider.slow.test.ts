import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { isGameCredential } from '@krapao/contract/rules';
import type { Ledger } from '../../../src/ledger/index.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import {
  setProviderState,
  readProviderCredit,
  setProviderMaintenance,
  failProvider,
  openGame,
  openLaunchLink,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { buildTestOutside } from '../../harness/outside-file.ts';
import { startSystem, type System } from '../../harness/system.ts';

type Slot = {
  code: string;
  amount: number;
  outstanding: number;
  turnover: number | null;
  isStale: boolean;
  ftWalletSlot: number;
  launch: 'link' | 'form' | 'fixed';
  launchNeedsPassword: boolean;
  web: string | null;
};

/** Providers of outside.json, which are also game codes. */
const PROVIDER_NAMES = Object.keys(buildTestOutside('http://127.0.0.1', 'http://127.0.0.1').games);
const PATIENCE_MS = 20_000;
const GAMES_WITHOUT_TURNOVER = ['pg', 'slotracha'];

const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(PATIENCE_MS) });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const slotOf = async (token: string, code: string): Promise<Slot> => {
  const { slots } = (await system.api('GET /api/wallet', { token })).body as { slots: Slot[] };
  const slot = slots.find((slot) => slot.code === code);
  assert.ok(slot, `${code} is a game`);
  return slot;
};
const refreshSlot = async (token: string, code: string) => {
  const { slots } = (await system.api('GET /api/wallet/refresh/slot', { token })).body as { slots: Slot[] };
  return slots.find((slot) => slot.code === code);
};
const callAccount = (action: 'activate' | 'account' | 'resetpassword', { token }: TestMember, slotCode: string) =>
  system.api(`GET /api/wallet/${action}/{slotCode}`, { token, params: { slotCode } });
const launch = ({ token }: TestMember, path: string) => system.api(`GET /api/autoLogin/${path}`, { token });
const playOrSettle = async (
  code: string,
  username: string,
  action: 'play' | 'settle',
  body: object,
): Promise<number> => {
  const reply = await system.simulatorsApi(`POST /games/${code}/players/${username}/${action}`, { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.roundId as number;
};
/** Opens an account, with money in the wallet. */
const openRound = async (code: string, amount: string) => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, amount);
  return { member, ...(await openGame(system, member.token, code)) };
};
const readWalletAmount = async ({ token }: TestMember): Promise<number> =>
  (await system.api('GET /api/wallet', { token })).body.wallet.amount;

describe('every provider', () => {
  for (const code of PROVIDER_NAMES) {
    test(`${code}: money is transferred in, played, shown after a refresh, and transferred back [R-GAME-02] [R-GAME-08] [R-XFER-02]`, async () => {
      const { member, username, password } = await openRound(code, '300.00');
      const { token } = member;
      assert.ok(isGameCredential(username) && isGameCredential(password), 'at most 16 letters and digits');
      const { ftWalletSlot, amount } = await slotOf(token, code);
      assert.equal(amount, 0);
      const toCredits = (baht: number): string => (baht * ftWalletSlot).toFixed(2);

      assert.equal((await transfer(system, token, { from: 'WALLET', to: code, amount: 100 })).status, 200);
      assert.equal(await readProviderCredit(system, code, username), toCredits(100));
      await playOrSettle(code, username, 'play', { stake: toCredits(10), win: toCredits(4) });
      const roundId = await playOrSettle(code, username, 'play', { stake: toCredits(20), open: true });
      const expectedSlot = { amount: 74, outstanding: 20, turnover: GAMES_WITHOUT_TURNOVER.includes(code) ? null : 10 };
      for (const slot of [await refreshSlot(token, code), await slotOf(token, code)]) {
        assert.ok(slot && !slot.isStale);
        assert.deepEqual({ amount: slot.amount, outstanding: slot.outstanding, turnover: slot.turnover }, expectedSlot);
      }

      await playOrSettle(code, username, 'settle', { roundId, win: toCredits(30) });
      const settledSlot = await refreshSlot(token, code);
      assert.deepEqual([settledSlot?.amount, settledSlot?.outstanding], [104, 0]);
      assert.equal(settledSlot?.turnover, GAMES_WITHOUT_TURNOVER.includes(code) ? null : 30);

      const tooMuch = await transfer(system, token, { from: code, to: 'WALLET', amount: 104.01 });
      assert.deepEqual(summaryOf(tooMuch), [400, 'MONEY_NOT_ENOUGH', undefined]);
      assert.equal((await transfer(system, token, { from: code, to: 'WALLET', amount: 103.5 })).status, 200);
      assert.equal(await readProviderCredit(system, code, username), toCredits(0.5));
      assert.deepEqual([await readWalletAmount(member), (await slotOf(token, code)).amount], [303.5, 0.5]);
      for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    });

    test(`${code}: a member signs in with the current password as themselves [R-GAME-02]`, async () => {
      const { member, username, password } = await openRound(code, '1.00');
      const reset = await callAccount('resetpassword', member, code);
      assert.equal(reset.status, 200, JSON.stringify(reset.body));
      assert.equal(reset.body.username, username);
      assert.ok(isGameCredential(reset.body.password) && reset.body.password !== password);
      const shownCredentials = (await callAccount('account', member, code)).body;
      assert.deepEqual(shownCredentials, reset.body);

      const slot = await slotOf(member.token, code);
      const linkReply = await launch(member, `${code}/${username}${slot.launchNeedsPassword ? '/x' : ''}`);
      if (slot.launch !== 'link') {
        assert.deepEqual(summaryOf(linkReply), [404, 'NO_GAME', 'NOT_BY_LINK']);
        const signIn = { username, password: shownCredentials.password };
        const { action, fields } =
          slot.launch === 'form' ? shownCredentials.form : { action: `${String(slot.web)}login`, fields: signIn };
        assert.deepEqual(fields, slot.launch === 'form' ? { ...signIn, lang: 'th', return_url: system.url } : signIn);
        assert.equal((await openLaunchLink(action, new URLSearchParams(fields))).username, username);
        const oldLoginReply = await fetch(action, {
          method: 'POST',
          body: new URLSearchParams({ username, password }),
        });
        assert.ok(!oldLoginReply.url.includes('/play/'), 'the old password is over');
        return;
      }
      assert.equal(linkReply.status, 200, JSON.stringify(linkReply.body));
      assert.equal((await openLaunchLink(linkReply.body.link)).username, username);
      if (!slot.launchNeedsPassword) assert.ok(!linkReply.body.link.includes(shownCredentials.password));
    });

    test(`${code}: in maintenance no game opens and no money moves, with the codes for it [R-GAME-02] [R-XFER-02]`, async () => {
      const { member, username } = await openRound(code, '100.00');
      const { token } = member;
      assert.equal((await transfer(system, token, { from: 'WALLET', to: code, amount: 40 })).status, 200);
      const { launch: launchKind } = await slotOf(token, code);
      await setProviderMaintenance(system, code, true);
      try {
        const stranger = await registerMember(system);
        const maintenanceRefusal = [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE'];
        assert.deepEqual(summaryOf(await callAccount('activate', stranger, code)), maintenanceRefusal);
        const [transferInReply, transferOutReply] = [
          await transfer(system, token, { from: 'WALLET', to: code, amount: 10 }),
          await transfer(system, token, { from: code, to: 'WALLET', amount: 10 }),
        ];
        for (const refusedReply of [transferInReply, transferOutReply])
          assert.deepEqual(
            [refusedReply.body.message, refusedReply.body.detail],
            ['TRANSFER_FAIL', 'PROVIDER_MAINTENANCE'],
          );
        assert.ok((await refreshSlot(token, code))?.isStale, 'what it holds is not known now');
        const launchReply = await launch(member, `${code}/${username}/x`);
        // For links built by the server, the game's page shows that the game is closed.
        if (launchKind === 'link' && launchReply.status !== 200)
          assert.deepEqual(summaryOf(launchReply), maintenanceRefusal);
        if (launchReply.status === 200) assert.equal((await fetch(launchReply.body.link)).status, 503);
      } finally {
        await setProviderMaintenance(system, code, false);
      }
      assert.deepEqual([await readWalletAmount(member), (await slotOf(token, code)).amount], [60, 40]);
      assert.equal((await refreshSlot(token, code))?.amount, 40);
    });
  }
});

describe('single providers', () => {
  test('huayhd: no money leaves the game while bets are open, and none is lost [R-XFER-02]', async () => {
    const { member, username } = await openRound('huayhd', '100.00');
    const { token } = member;
    assert.equal((await transfer(system, token, { from: 'WALLET', to: 'huayhd', amount: 100 })).status, 200);
    const roundId = await playOrSettle('huayhd', username, 'play', { stake: '30.00', open: true });
    await refreshSlot(token, 'huayhd');
    const transferHome = () => transfer(system, token, { from: 'huayhd', to: 'WALLET', amount: 50 });
    const refusedReply = await transferHome();
    assert.deepEqual([refusedReply.body.message, refusedReply.body.detail], ['TRANSFER_FAIL', 'OPEN_BETS']);
    assert.deepEqual(
      [await readWalletAmount(member), await readProviderCredit(system, 'huayhd', username)],
      [0, '70.00'],
    );
    await playOrSettle('huayhd', username, 'settle', { roundId, win: '0.00' });
    assert.equal((await transferHome()).status, 200);
    assert.deepEqual(
      [await readWalletAmount(member), await readProviderCredit(system, 'huayhd', username)],
      [50, '20.00'],
    );
  });

  test('joker2: a player whose password was not set at the opening gets the shown one [R-GAME-02]', async () => {
    const faults = [{ fault: 'decline' }, { fault: 'error-500' }, { fault: 'error-500', applied: true }] as const;
    for (const fault of faults) {
      const member = await registerMember(system);
      await failProvider(system, 'joker2', { ...fault, call: 'SP' });
      const silentRefusal = [503, 'GAME_ACTIVATION_FAIL', 'PROVIDER_SILENT'];
      assert.deepEqual(
        summaryOf(await callAccount('activate', member, 'joker2')),
        silentRefusal,
        JSON.stringify(fault),
      );
      await failProvider(system, 'joker2', { ...fault, call: 'SP' });
      const repeatedReply = await callAccount('activate', member, 'joker2');
      assert.notEqual(repeatedReply.status, 200, 'still not set for sure');
      const { username, password } = await openGame(system, member.token, 'joker2');
      const signIn = new URLSearchParams({ username, password }).toString();
      assert.equal((await openLaunchLink(`${system.simulatorsUrl}/games/joker2/enter?${signIn}`)).username, username);
      assert.deepEqual(summaryOf(await callAccount('activate', member, 'joker2')), [
        409,
        'SLOT_ALREADY_ACTIVE',
        undefined,
      ]);
    }
  });

  test("a game that opens by a form opens in the member's language and links back to this site [R-GAME-06]", async () => {
    for (const code of ['naga', 'saming']) {
      const { member } = await openRound(code, '1.00');
      const laoRequest = { token: member.token, params: { slotCode: code }, headers: { cookie: 'language=LA' } };
      const { action, fields } = (await system.api('GET /api/wallet/account/{slotCode}', laoRequest)).body.form;
      const seatedPlayer = await openLaunchLink(action, new URLSearchParams(fields));
      assert.deepEqual([seatedPlayer.language, seatedPlayer.returnUrl], ['la', system.url], code);
    }
  });

  test("a game that opens by a link opens in the member's language and links back; a refusing provider gives no link [R-GAME-02]", async () => {
    for (const code of ['joker2', 'betflix', 'areaslot', 'huayhd']) {
      const { member, username } = await openRound(code, '1.00');
      const path = `/api/autoLogin/${code}/${username}`;
      const englishRequest = { token: member.token, headers: { cookie: 'language=EN' } };
      const seatedPlayer = await openLaunchLink((await system.api(`GET ${path}`, englishRequest)).body.link);
      assert.deepEqual([seatedPlayer.language, seatedPlayer.returnUrl], ['en', system.url], code);
      await setProviderState(system, code, { launchRefused: true });
      assert.deepEqual(summaryOf(await system.api(`GET ${path}`, englishRequest)), [
        503,
        'GAME_ACTIVATION_FAIL',
        'LAUNCH_REFUSED',
      ]);
      await setProviderState(system, code, { launchRefused: false });
    }
  });
});
