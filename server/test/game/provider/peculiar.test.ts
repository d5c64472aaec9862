import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { credits } from '../../../src/adapters/game/port.ts';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import {
  arrange,
  assertBooksAgree,
  creditOf,
  type GameCode,
  openGame,
  play,
  playsAs,
  providersWithin,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';

/** Games with the provider's launch links, and with own links to a page that shows the error. */
const ASKED: readonly GameCode[] = ['imi', 'pgslot'];
const BUILT: readonly GameCode[] = ['usun', 'circus', 'slotracha'];
const ALL: readonly GameCode[] = [...ASKED, ...BUILT, 'royal'];

let system: System;
let ledger: Ledger;
let member: TestMember;
const players: Record<GameCode, { username: string; password: string }> = {};
const nameAt = (code: GameCode): string => players[code]?.username ?? '';

before(async () => {
  system = await startSystem({ outside: providersWithin(15_000) });
  ledger = ledgerOf(system);
  member = await registerMember(system);
  await fund(ledger, member.id, '1000.00');
  for (const code of ALL) players[code] = await openGame(system, member.token, code);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const summaryOf = ({ status, body }: ApiReply) => [status, body.message, body.detail];
const put = (code: GameCode, amount: number) => transfer(system, member.token, { from: 'WALLET', to: code, amount });
const takeOut = (code: GameCode, amount: number) =>
  transfer(system, member.token, { from: code, to: 'WALLET', amount });
const wallet = async () => (await balanceOf(ledger, member.id, 'WALLET')).free;
const agree = (code: GameCode) => assertBooksAgree(system, ledger, member.id, { [code]: nameAt(code) });
const launch = (code: GameCode) => system.api(`GET /api/autoLogin/${code}/${nameAt(code)}/x`, { token: member.token });
const slotOf = async (gameCode: GameCode) => {
  const { slots } = (await system.api('GET /api/wallet/refresh/slot', { token: member.token })).body;
  return slots.find(({ code }: { code: string }) => code === gameCode);
};

describe('what is peculiar to a provider', () => {
  for (const code of ALL) {
    test(`${code}: in maintenance nothing moves and no account opens; afterwards both do [R-XFER-02]`, async () => {
      assert.equal((await put(code, 10)).status, 200);
      const [before, there] = [await wallet(), await creditOf(system, code, nameAt(code))];
      await arrange(system, code, { maintenance: true });
      for (const reply of [await put(code, 5), await takeOut(code, 5)]) {
        assert.deepEqual(summaryOf(reply), [502, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE']);
      }
      const other = await registerMember(system);
      const opened = await system.api(`GET /api/wallet/activate/${code}`, { token: other.token });
      assert.deepEqual(summaryOf(opened), [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE']);
      assert.deepEqual([await wallet(), await creditOf(system, code, nameAt(code))], [before, there]);
      await arrange(system, code, { maintenance: false });
      await openGame(system, other.token, code);
      assert.equal((await takeOut(code, 10)).status, 200);
      await agree(code);
    });
  }

  for (const code of ASKED) {
    test(`${code}: no link in maintenance, nor when the provider refuses one [R-GAME-02]`, async () => {
      await arrange(system, code, { maintenance: true });
      assert.deepEqual(summaryOf(await launch(code)), [503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE']);
      await arrange(system, code, { maintenance: false, launchRefused: true });
      assert.deepEqual(summaryOf(await launch(code)), [503, 'GAME_ACTIVATION_FAIL', 'LAUNCH_REFUSED']);
      await arrange(system, code, { launchRefused: false });
      assert.equal((await playsAs((await launch(code)).body.link)).username, nameAt(code));
    });
  }

  for (const code of BUILT) {
    test(`${code}: the link leads in, and to a page that says so while the provider refuses every login [R-GAME-02]`, async () => {
      const { link } = (await launch(code)).body;
      assert.equal((await playsAs(link)).username, nameAt(code));
      await arrange(system, code, { maintenance: true });
      assert.equal((await fetch(link)).status, 503);
      await arrange(system, code, { maintenance: false, launchRefused: true });
      assert.equal((await fetch(link)).status, 403);
      await arrange(system, code, { launchRefused: false });
      const reset = await system.api(`GET /api/wallet/resetpassword/${code}`, { token: member.token });
      assert.equal(reset.status, 200);
      assert.equal((await fetch(link)).status, 401, 'the old password is over');
      assert.equal((await playsAs((await launch(code)).body.link)).username, nameAt(code));
    });
  }

  test('every launch whose link holds the password is written down as a reveal', async () => {
    const other = await registerMember(system);
    for (const code of [...ASKED, ...BUILT]) {
      const { username } = await openGame(system, other.token, code);
      await system.api(`GET /api/autoLogin/${code}/${username}`, { token: other.token });
    }
    const { rows } = await system.database.query<{ code: string }>(
      `select game_code as code from game_reveal where member_id = $1 and action = 'launch' order by id`,
      [other.id],
    );
    assert.deepEqual(
      rows.map(({ code }) => code),
      [...ASKED, ...BUILT],
    );
  });
});

describe('what is peculiar to single providers', () => {
  test('circus: what another key has signed is refused, and nothing is done', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const forged = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const circus = system.outside.games['circus'];
    assert.equal(circus?.kind, 'circus');
    const configs = { circus: { ...circus, privateKey: forged } };
    const forger = gameProviders(configs, undefined, systemClock).get('circus');
    assert.ok(forger);
    const username = nameAt('circus');
    await put('circus', 10);
    const amount = credits(500n);
    const answers = [
      await forger.create({ username: 'kpforged', password: 'Secret12' }),
      await forger.setPassword({ username, password: 'Secret12' }),
      await forger.balance(username),
      await forger.move({ username, direction: 'out', amount, reference: 'forged-1' }),
    ];
    for (const answer of answers) {
      assert.deepEqual([answer.outcome, answer.outcome === 'refused' && answer.reason], ['refused', 'declined']);
      assert.ok(answer.outcome === 'refused' && !answer.note.includes(username));
    }
    assert.equal(await creditOf(system, 'circus', username), '10.00');
    assert.equal((await playsAs((await launch('circus')).body.link)).username, username);
    await takeOut('circus', 10);
  });

  test('slotracha: the ledger follows transfers although no balance is reported, and wins at the next refresh [R-XFER-02]', async () => {
    assert.equal((await put('slotracha', 100)).status, 200);
    await agree('slotracha');
    await play(system, 'slotracha', nameAt('slotracha'), '20.00', '55.50');
    assert.equal((await put('slotracha', 50)).status, 200);
    assert.equal((await slotOf('slotracha')).amount, 185.5);
    await agree('slotracha');
    await play(system, 'slotracha', nameAt('slotracha'), '10.00', '0');
    assert.equal((await takeOut('slotracha', 175.5)).status, 200, 'all of it, looked at before it left');
    const { amount, outstanding, turnover } = await slotOf('slotracha');
    assert.deepEqual([amount, outstanding, turnover], [0, 0, null], 'it tells no turnover');
    await agree('slotracha');
  });

  for (const code of ['imi', 'usun', 'circus', 'pgslot'] as const) {
    test(`${code}: wins, open stakes and turnover are in the account after a refresh [R-GAME-08]`, async () => {
      assert.equal((await put(code, 100)).status, 200);
      const rate = { imi: 1, usun: 10, circus: 1, pgslot: 1 }[code];
      const { turnover: before } = await slotOf(code);
      await play(system, code, nameAt(code), String(20 * rate), String(50 * rate));
      const open = await system.world(`POST /games/${code}/players/${nameAt(code)}/play`, {
        body: { stake: String(30 * rate), open: true },
      });
      const { amount, outstanding, turnover, isStale } = await slotOf(code);
      assert.deepEqual([amount, outstanding, turnover - before, isStale], [100, 30, 20, false]);
      const settle = { roundId: open.body.roundId, win: '0' };
      await system.world(`POST /games/${code}/players/${nameAt(code)}/settle`, { body: settle });
      const settled = await slotOf(code);
      assert.deepEqual([settled.amount, settled.outstanding, settled.turnover - before], [100, 0, 50]);
      assert.equal((await takeOut(code, 100)).status, 200);
      await agree(code);
    });
  }

  test('royal: one address for all members, where the member signs in by hand and plays [R-GAME-02]', async () => {
    const { slots } = (await system.api('GET /api/wallet', { token: member.token })).body;
    const royal = slots.find(({ code }: { code: string }) => code === 'royal');
    assert.deepEqual(
      [royal.launch, royal.launchNeedsPassword, royal.web],
      ['fixed', false, `${system.simulatorsUrl}/games/royal/`],
    );
    assert.deepEqual(summaryOf(await launch('royal')), [404, 'NO_GAME', 'NOT_BY_LINK']);
    const page = await fetch(royal.web);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<form[^>]*method="post"/i);
    const { username, password } = (await system.api('GET /api/wallet/account/royal', { token: member.token })).body;
    const signIn = (secret: string) =>
      fetch(new URL('login', royal.web), { method: 'POST', body: new URLSearchParams({ username, password: secret }) });
    const opened = await signIn(password);
    assert.equal(opened.status, 200);
    assert.equal((await playsAs(opened.url)).username, username);
    assert.match((await signIn('NotThePassword1')).url, /wrong=1/);
  });
});
