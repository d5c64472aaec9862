import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import { credits } from '../../../src/adapters/game/port.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { systemClock } from '../../../src/platform/time.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import {
  setProviderState,
  assertBooksAgree,
  readProviderCredit,
  type GameCode,
  openGame,
  playRound,
  openLaunchLink,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** Games with the provider's launch links, and with own links to a page that shows the error. */
const INQUIRED_GAMES: readonly GameCode[] = ['imi', 'pgslot'];
const LOCAL_LINK_GAMES: readonly GameCode[] = ['usun', 'circus', 'slotracha'];
const ALL_GAMES: readonly GameCode[] = [...INQUIRED_GAMES, ...LOCAL_LINK_GAMES, 'royal'];

let system: System;
let ledger: Ledger;
let member: TestMember;
const players: Record<GameCode, { username: string; password: string }> = {};
const nameAt = (code: GameCode): string => players[code]?.username ?? '';

before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(15_000) });
  ledger = createTestLedger(system);
  member = await registerMember(system);
  await fundWallet(ledger, member.id, '1000.00');
  for (const code of ALL_GAMES) players[code] = await openGame(system, member.token, code);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];
const transferIn = (code: GameCode, amount: number) =>
  transfer(system, member.token, { from: 'WALLET', to: code, amount });
const transferOut = (code: GameCode, amount: number) =>
  transfer(system, member.token, { from: code, to: 'WALLET', amount });
const readWalletBalance = async () => (await readBalance(ledger, member.id, 'WALLET')).free;
const assertAgreement = (code: GameCode) => assertBooksAgree(system, ledger, member.id, { [code]: nameAt(code) });
const launch = (code: GameCode) => system.api(`GET /api/autoLogin/${code}/${nameAt(code)}/x`, { token: member.token });
const slotOf = async (gameCode: GameCode) => {
  const { slots } = (await system.api('GET /api/wallet/refresh/slot', { token: member.token })).body;
  return slots.find(({ code }: { code: string }) => code === gameCode);
};

describe('specifics of a provider', () => {
  for (const code of ALL_GAMES) {
    test(`${code}: in maintenance no money moves and no account opens; afterwards both do [R-XFER-02]`, async () => {
      assert.equal((await transferIn(code, 10)).status, 200);
      const [before, providerCredit] = [
        await readWalletBalance(),
        await readProviderCredit(system, code, nameAt(code)),
      ];
      await setProviderState(system, code, { maintenance: true });
      for (const reply of [await transferIn(code, 5), await transferOut(code, 5)]) {
        assert.deepEqual(summaryOf(reply), [502, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE']);
      }
      const otherMember = await registerMember(system);
      const activateReply = await system.api(`GET /api/wallet/activate/${code}`, { token: otherMember.token });
      assert.deepEqual(summaryOf(activateReply), [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE']);
      assert.deepEqual(
        [await readWalletBalance(), await readProviderCredit(system, code, nameAt(code))],
        [before, providerCredit],
      );
      await setProviderState(system, code, { maintenance: false });
      await openGame(system, otherMember.token, code);
      assert.equal((await transferOut(code, 10)).status, 200);
      await assertAgreement(code);
    });
  }

  for (const code of INQUIRED_GAMES) {
    test(`${code}: no launch link in maintenance, nor when the provider refuses [R-GAME-02]`, async () => {
      await setProviderState(system, code, { maintenance: true });
      assert.deepEqual(summaryOf(await launch(code)), [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE']);
      await setProviderState(system, code, { maintenance: false, launchRefused: true });
      assert.deepEqual(summaryOf(await launch(code)), [503, 'GAME_ACTIVATION_FAIL', 'LAUNCH_REFUSED']);
      await setProviderState(system, code, { launchRefused: false });
      assert.equal((await openLaunchLink((await launch(code)).body.link)).username, nameAt(code));
    });
  }

  for (const code of LOCAL_LINK_GAMES) {
    test(`${code}: the link opens the game, or a page that reports it while the provider refuses every login [R-GAME-02]`, async () => {
      const { link } = (await launch(code)).body;
      assert.equal((await openLaunchLink(link)).username, nameAt(code));
      await setProviderState(system, code, { maintenance: true });
      assert.equal((await fetch(link)).status, 503);
      await setProviderState(system, code, { maintenance: false, launchRefused: true });
      assert.equal((await fetch(link)).status, 403);
      await setProviderState(system, code, { launchRefused: false });
      const reset = await system.api(`GET /api/wallet/resetpassword/${code}`, { token: member.token });
      assert.equal(reset.status, 200);
      assert.equal((await fetch(link)).status, 401, 'the old password is over');
      assert.equal((await openLaunchLink((await launch(code)).body.link)).username, nameAt(code));
    });
  }

  test('every launch whose link contains the password is recorded as a reveal', async () => {
    const otherMember = await registerMember(system);
    for (const code of [...INQUIRED_GAMES, ...LOCAL_LINK_GAMES]) {
      const { username } = await openGame(system, otherMember.token, code);
      await system.api(`GET /api/autoLogin/${code}/${username}`, { token: otherMember.token });
    }
    const { rows } = await system.database.query<{ code: string }>(
      `select game_code as code from game_reveal where member_id = $1 and action = 'launch' order by id`,
      [otherMember.id],
    );
    assert.deepEqual(
      rows.map(({ code }) => code),
      [...INQUIRED_GAMES, ...LOCAL_LINK_GAMES],
    );
  });
});

describe('specifics of single providers', () => {
  test('circus: a request signed with another key is refused without effect', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const otherPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const circusConfig = system.outside.games['circus'];
    assert.equal(circusConfig?.kind, 'circus');
    const forgedConfigs = { circus: { ...circusConfig, privateKey: otherPrivateKey } };
    const forgedProvider = gameProviders(forgedConfigs, undefined, systemClock).get('circus');
    assert.ok(forgedProvider);
    const username = nameAt('circus');
    await transferIn('circus', 10);
    const amount = credits(500n);
    const outcomes = [
      await forgedProvider.create({ username: 'kpforged', password: 'Secret12' }),
      await forgedProvider.setPassword({ username, password: 'Secret12' }),
      await forgedProvider.balance(username),
      await forgedProvider.move({ username, direction: 'out', amount, reference: 'forged-1' }),
    ];
    for (const outcome of outcomes) {
      assert.deepEqual([outcome.outcome, outcome.outcome === 'refused' && outcome.reason], ['refused', 'declined']);
      assert.ok(outcome.outcome === 'refused' && !outcome.note.includes(username));
    }
    assert.equal(await readProviderCredit(system, 'circus', username), '10.00');
    assert.equal((await openLaunchLink((await launch('circus')).body.link)).username, username);
    await transferOut('circus', 10);
  });

  test('slotracha: the ledger follows transfers although no balance is reported, and wins at the next refresh [R-XFER-02]', async () => {
    assert.equal((await transferIn('slotracha', 100)).status, 200);
    await assertAgreement('slotracha');
    await playRound(system, 'slotracha', nameAt('slotracha'), '20.00', '55.50');
    assert.equal((await transferIn('slotracha', 50)).status, 200);
    assert.equal((await slotOf('slotracha')).amount, 185.5);
    await assertAgreement('slotracha');
    await playRound(system, 'slotracha', nameAt('slotracha'), '10.00', '0');
    assert.equal((await transferOut('slotracha', 175.5)).status, 200, 'all of it, looked at before it left');
    const { amount, outstanding, turnover } = await slotOf('slotracha');
    assert.deepEqual([amount, outstanding, turnover], [0, 0, null], 'it tells no turnover');
    await assertAgreement('slotracha');
  });

  for (const code of ['imi', 'usun', 'circus', 'pgslot'] as const) {
    test(`${code}: wins, open stakes and turnover are in the account after a refresh [R-GAME-08]`, async () => {
      assert.equal((await transferIn(code, 100)).status, 200);
      const creditRate = { imi: 1, usun: 10, circus: 1, pgslot: 1 }[code];
      const { turnover: before } = await slotOf(code);
      await playRound(system, code, nameAt(code), String(20 * creditRate), String(50 * creditRate));
      const openReply = await system.simulatorsApi(`POST /games/${code}/players/${nameAt(code)}/play`, {
        body: { stake: String(30 * creditRate), open: true },
      });
      const { amount, outstanding, turnover, isStale } = await slotOf(code);
      assert.deepEqual([amount, outstanding, turnover - before, isStale], [100, 30, 20, false]);
      const settleBody = { roundId: openReply.body.roundId, win: '0' };
      await system.simulatorsApi(`POST /games/${code}/players/${nameAt(code)}/settle`, { body: settleBody });
      const settledSlot = await slotOf(code);
      assert.deepEqual([settledSlot.amount, settledSlot.outstanding, settledSlot.turnover - before], [100, 0, 50]);
      assert.equal((await transferOut(code, 100)).status, 200);
      await assertAgreement(code);
    });
  }

  test('royal: one address for all members, where they sign in by hand and play [R-GAME-02]', async () => {
    const { slots } = (await system.api('GET /api/wallet', { token: member.token })).body;
    const royalSlot = slots.find(({ code }: { code: string }) => code === 'royal');
    assert.deepEqual(
      [royalSlot.launch, royalSlot.launchNeedsPassword, royalSlot.web],
      ['fixed', false, `${system.simulatorsUrl}/games/royal/`],
    );
    assert.deepEqual(summaryOf(await launch('royal')), [404, 'NO_GAME', 'NOT_BY_LINK']);
    const page = await fetch(royalSlot.web);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<form[^>]*method="post"/i);
    const { username, password } = (await system.api('GET /api/wallet/account/royal', { token: member.token })).body;
    const signIn = (secret: string) =>
      fetch(new URL('login', royalSlot.web), {
        method: 'POST',
        body: new URLSearchParams({ username, password: secret }),
      });
    const signInReply = await signIn(password);
    assert.equal(signInReply.status, 200);
    assert.equal((await openLaunchLink(signInReply.url)).username, username);
    assert.match((await signIn('NotThePassword1')).url, /wrong=1/);
  });
});
