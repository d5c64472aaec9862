import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Players } from '../../src/games/players.ts';
import { protocolsOf } from '../../src/games/protocols.ts';
import { PROVIDERS } from '../../src/games/providers.ts';
import { Rounds } from '../../src/games/rounds.ts';
import { startSimulators } from '../../src/server.ts';
import { Store } from '../../src/store.ts';
import { ask, outside, outsideFor } from '../harness.ts';
import { startAllProviders, MEMBER, order } from './game-servers.ts';
import { createMember, createPlayer, moveCredit, pg, playerBalance, transferIn, walletOf } from './players.ts';

type PlayerReply = { balance: string; outstanding: string; turnover: string; roundId: number };

const orderFault = (address: string, fault: object) =>
  ask<{ error?: string }>(address, 'POST', '/control/faults', { target: 'game:pg', ...fault });
const lookUp = (address: string, reference: string) =>
  pg(address, 'Cash/v3/GetSingleTransaction', { player_name: 'mali01', transfer_reference: reference });

test('a provider in maintenance replies to every call with its own code, without effect', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await createMember(address, 'mali02', 'Secret12');
  const { body } = await order(address, { pg: { maintenance: true }, askmebet: { maintenance: true } });
  assert.equal(body.games['pg']?.maintenance, true);
  for (const reply of [
    await createPlayer(address, 'mali09'),
    await transferIn(address, 'mali01', 'r1'),
    await walletOf(address, 'mali01'),
    await lookUp(address, 'r1'),
    await pg(address, 'Login/v1/LoginGame', { player_name: 'mali01' }),
  ])
    assert.equal(reply.body.error?.code, '1400');
  assert.equal((await moveCredit(address, 'deposit', 'mali02', '5.00')).body.code, 1098);
  await order(address, { pg: { maintenance: false }, askmebet: { maintenance: false } });
  assert.equal((await lookUp(address, 'r1')).body.error?.code, '3040');
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '0.00');
  assert.equal(await playerBalance(address, 'askmebet', 'mali02'), '0.00');
  assert.equal((await createPlayer(address, 'mali09')).body.error, null);
});

test('launch refusal affects only the login call', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await order(address, { pg: { launchRefused: true } });
  const launchGame = () => pg(address, 'Login/v1/LoginGame', { player_name: 'mali01' });
  assert.equal((await launchGame()).body.error?.code, '1035');
  assert.equal((await transferIn(address, 'mali01', 'r1')).body.error, null);
  await order(address, { pg: { launchRefused: false } });
  assert.equal((await launchGame()).body.error, null);
});

test('unknown providers and states are refused without effect', async (t) => {
  const { address } = await outside(t);
  for (const games of [
    { pg: { maintenance: true }, nobody: { maintenance: true } },
    { constructor: {} },
    { pg: { maintenance: 'yes' } },
    { pg: { pool: -1 } },
    { pg: { other: 1 } },
  ])
    assert.equal((await order(address, games)).status, 400, JSON.stringify(games));
  const { body } = await ask<{ games: Record<string, object> }>(address, 'GET', '/control/settings');
  assert.deepEqual(Object.keys(body.games), [...PROVIDERS]);
  assert.deepEqual(body.games['pg'], { maintenance: false, launchRefused: false, pool: null });
});

test('the fault duplicate-reference takes effect or not, as configured, and replies that the reference was used', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await orderFault(address, { fault: 'duplicate-reference' });
  assert.equal((await walletOf(address, 'mali01')).body.error, null);
  assert.equal((await createPlayer(address, 'mali03')).body.error, null, 'a call without a reference is not affected');
  assert.equal((await transferIn(address, 'mali01', 'r1')).body.error?.code, '3109');
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '100.00');
  await orderFault(address, { fault: 'duplicate-reference', applied: false, call: 'TransferIn' });
  assert.equal((await transferIn(address, 'mali01', 'r2')).body.error?.code, '3109');
  assert.equal((await lookUp(address, 'r2')).body.error?.code, '3040');
  assert.equal((await transferIn(address, 'mali01', 'r2')).body.error, null);
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '200.00');
});

test('the fault absent hides an existing transfer once, and then shows it', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'r1');
  await orderFault(address, { fault: 'absent' });
  assert.equal((await lookUp(address, 'r1')).body.error?.code, '3040');
  assert.equal((await lookUp(address, 'r1')).body.data?.transactionAmount, 100);
});

test('the fault unknown-player hides an existing player once, and then shows it', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'r1');
  await orderFault(address, { fault: 'unknown-player' });
  assert.equal((await lookUp(address, 'r1')).body.error?.code, '3004');
  assert.equal((await lookUp(address, 'r1')).body.data?.transactionAmount, 100);
});

test('the fault unlisted-code takes effect or not, as configured, and replies with an undocumented code', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await orderFault(address, { fault: 'unlisted-code', call: 'TransferIn' });
  assert.equal((await transferIn(address, 'mali01', 'r1')).body.error?.code, '1050');
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '100.00');
  await orderFault(address, { fault: 'unlisted-code', applied: false });
  assert.equal((await walletOf(address, 'mali01')).body.error, null, 'a call that moves nothing is not affected');
  assert.equal((await transferIn(address, 'mali01', 'r2')).body.error?.code, '1050');
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '100.00');
});

test('faults about references apply only to calls with references', async (t) => {
  const { address } = await outside(t);
  const cases = [
    [{ fault: 'absent', call: 'TransferIn' }, 'unknown_call'],
    [{ fault: 'duplicate-reference', call: 'GetPlayerWallet' }, 'unknown_call'],
    [{ fault: 'absent', target: 'game:askmebet' }, 'unknown_fault'],
    [{ fault: 'duplicate-reference', target: 'game:askmebet' }, 'unknown_fault'],
    [{ fault: 'absent', target: 'kbank' }, 'unknown_fault'],
    [{ fault: 'unknown-player', target: 'game:askmebet' }, 'unknown_fault'],
    [{ fault: 'unlisted-code', call: 'GetPlayerWallet' }, 'unknown_call'],
    [{ fault: 'unlisted-code', target: 'kbank' }, 'unknown_fault'],
    [{ fault: 'decline', target: 'game:nobody' }, 'unknown_target'],
  ] as const;
  for (const [fault, error] of cases) assert.equal((await orderFault(address, fault)).body.error, error);
  await createPlayer(address, 'mali01');
  await orderFault(address, { fault: 'absent', call: 'any' });
  assert.equal((await transferIn(address, 'mali01', 'r1')).body.error, null);
  assert.equal((await lookUp(address, 'r1')).body.error?.code, '3040');
});

test('turnover grows by the stakes of settled rounds; an open round counts once it is settled', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await transferIn(address, 'mali01', 'r1');
  const playerPath = '/games/pg/players/mali01';
  const figuresOf = ({ balance, outstanding, turnover }: PlayerReply) => [balance, outstanding, turnover];
  const playRound = async (body: object) => (await ask<PlayerReply>(address, 'POST', `${playerPath}/play`, body)).body;
  assert.deepEqual(figuresOf(await playRound({ stake: '10.00', win: '3.00' })), ['93.00', '0.00', '10.00']);
  const open = await playRound({ stake: '20.50', open: true, bets: 'red wins' });
  assert.deepEqual(figuresOf(open), ['72.50', '20.50', '10.00']);
  type ListedRound = {
    roundId: number;
    bets: string | null;
    stake: string;
    win: string | null;
    settledAt: string | null;
  };
  const list = async (isOpen: boolean) =>
    (await ask<ListedRound[]>(address, 'GET', `${playerPath}/rounds?open=${String(isOpen)}`)).body;
  const [listedRound, ...otherRounds] = await list(true);
  assert.deepEqual(
    [listedRound?.roundId, listedRound?.bets, listedRound?.win, otherRounds.length],
    [open.roundId, 'red wins', null, 0],
  );
  const settleRound = () =>
    ask<PlayerReply>(address, 'POST', `${playerPath}/settle`, { roundId: open.roundId, win: '41.00' });
  assert.deepEqual(figuresOf((await settleRound()).body), ['113.50', '0.00', '30.50']);
  assert.equal((await settleRound()).status, 404, 'a round is settled once');
  assert.deepEqual(
    (await list(false)).map(({ stake, win, settledAt }) => [stake, win, settledAt !== null]),
    [
      ['20.50', '41.00', true],
      ['10.00', '3.00', true],
    ],
  );
  assert.deepEqual(figuresOf((await ask<PlayerReply>(address, 'GET', playerPath)).body), ['113.50', '0.00', '30.50']);
});

test('game rounds are settled atomically', (t) => {
  const store = new Store(':memory:');
  t.after(() => store.close());
  const players = new Players(store, 'royal');
  const rounds = new Rounds(store, players);
  players.create('mali01', null);
  players.transfer({ username: 'mali01', direction: 'in', amount: 1000, reference: null });
  const [firstRound, secondRound] = [300, 200].map((stake) => rounds.play('mali01', { stake, win: null, key: null }));
  assert.ok(firstRound && secondRound);
  assert.throws(() =>
    rounds.settleAll([
      { id: firstRound.id, win: 900 },
      { id: 999, win: 1 },
    ]),
  );
  assert.deepEqual([players.find('mali01')?.balance, players.find('mali01')?.outstanding], [500, 500]);
  rounds.settleAll([
    { id: firstRound.id, win: 900 },
    { id: secondRound.id, win: 0, outcome: 'lost' },
  ]);
  assert.deepEqual({ ...players.find('mali01') }, { username: 'mali01', balance: 1400, outstanding: 0, turnover: 500 });
  assert.deepEqual([rounds.find(secondRound.id)?.outcome, rounds.find(firstRound.id)?.balanceAfter], ['lost', 1400]);
  assert.throws(() => rounds.settle('mali02', { id: firstRound.id, win: 1 }), /no such open round/);
});

test('a void stake does not count as turnover; one that is paid back by a win does', (t) => {
  const store = new Store(':memory:');
  t.after(() => store.close());
  const players = new Players(store, 'royal');
  const rounds = new Rounds(store, players);
  players.create('mali01', null);
  players.transfer({ username: 'mali01', direction: 'in', amount: 1000, reference: null });
  const [firstRound, secondRound] = [300, 200].map((stake) => rounds.play('mali01', { stake, win: null, key: null }));
  assert.ok(firstRound && secondRound);
  const voidedRound = rounds.settle('mali01', { id: firstRound.id, win: 'void' });
  assert.deepEqual([voidedRound.win, voidedRound.balanceAfter], [300, 800]);
  assert.deepEqual({ ...players.find('mali01') }, { username: 'mali01', balance: 800, outstanding: 200, turnover: 0 });
  rounds.settle('mali01', { id: secondRound.id, win: 200 });
  assert.deepEqual({ ...players.find('mali01') }, { username: 'mali01', balance: 1000, outstanding: 0, turnover: 200 });
});

test('a pool assigns one account to each reference, the same on repetition, until it is empty', (t) => {
  const store = new Store(':memory:');
  t.after(() => store.close());
  const players = new Players(store, 'pgslot');
  const state = { pool: 2 };
  const firstAccount = players.fromPool('M1', state);
  assert.ok(typeof firstAccount === 'object');
  assert.match(`${firstAccount.username} ${firstAccount.password ?? ''}`, /^[A-Za-z0-9]{1,16} [A-Za-z0-9]{1,16}$/);
  assert.ok(players.passwordFits(firstAccount.username, firstAccount.password ?? ''));
  assert.deepEqual(players.fromPool('M1', state), firstAccount);
  assert.equal(state.pool, 1, 'a replay uses no further account');
  players.setPassword(firstAccount.username, 'Another1');
  assert.deepEqual(players.fromPool('M1', state), { username: firstAccount.username, password: null });
  assert.notEqual((players.fromPool('M2', state) as { username: string }).username, firstAccount.username);
  assert.equal(players.fromPool('M3', state), 'pool-empty');
  assert.ok(players.passwordFits(firstAccount.username, 'Another1'));
  assert.equal(typeof players.fromPool('M3', { pool: null }), 'object');
});

test('all fourteen providers have a protocol, with replies for the faults that its calls allow', () => {
  const protocols = protocolsOf(outsideFor('http://127.0.0.1:9/callback'));
  assert.deepEqual([...protocols.keys()], [...PROVIDERS]);
  for (const [provider, { calls, denialReplies }] of protocols) {
    const { moving, others, referenced = [], checks = [] } = calls;
    const allCalls = new Set([...moving, ...others]);
    assert.equal(allCalls.size, moving.length + others.length, `${provider} names each call once`);
    assert.ok(
      [...referenced, ...checks].every((call) => allCalls.has(call)),
      provider,
    );
    assert.equal(denialReplies.duplicate !== undefined, referenced.length > 0, `${provider} and duplicate references`);
    assert.equal(
      denialReplies.absent !== undefined,
      checks.length > 0,
      `${provider} and transactions that are not there`,
    );
    assert.equal(
      denialReplies.unknownPlayer !== undefined,
      checks.length > 0,
      `${provider} and players that are not there`,
    );
    const declinedReply = JSON.stringify(denialReplies.declined());
    for (const otherReply of [denialReplies.maintenance, denialReplies.unlisted])
      assert.notEqual(JSON.stringify(otherReply()), declinedReply, provider);
  }
});

test("the game simulators' totals contain the players of all fourteen providers", async (t) => {
  const address = await startAllProviders(t);
  type TotalsReply = { games: { provider: string; username: string; turnover: string }[]; sums: { games: object } };
  const { body } = await ask<TotalsReply>(address, 'GET', '/control/totals');
  assert.deepEqual(Object.keys(body.sums.games).toSorted(), [...PROVIDERS].toSorted());
  assert.ok(body.games.every(({ username, turnover }) => username === MEMBER.username && turnover === '0.00'));
});

test('a provider missing in the outside file does not exist; a missing credential is reported in one sentence', async (t) => {
  const file = outsideFor('http://127.0.0.1:9/callback');
  const { games } = file;
  const startWithGames = (gameSettings: typeof games) =>
    startSimulators({ port: 0, dataDir: ':memory:', outside: { ...file, games: gameSettings } });
  const simulators = await startWithGames({ pg: games.pg, askmebet: games.askmebet });
  t.after(() => simulators.close());
  const getPath = (path: string) => ask<{ error?: string }>(simulators.address, 'GET', path);
  assert.equal((await getPath('/games/naga/players/mali01')).body.error, 'unknown_provider');
  assert.equal((await getPath('/games/naga/play/')).status, 404);
  assert.equal((await order(simulators.address, { naga: { maintenance: true } })).status, 400);
  await assert.rejects(startWithGames({ pg: { operatorToken: 'op' } }), /lacks games\.pg\.secretKey/);
});
