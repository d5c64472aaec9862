import { strict as assert } from 'node:assert';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/module.ts';
import { assertBooksAgree, creditOf, eventually, legStates, openGame, settled, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

type Mood = 'pass' | 'drop before passing on' | 'drop the answer' | 'bring balances late';
const LATE_MS = 250;

/** Stands between the server and the provider, and breaks transfer calls at the wanted place. */
class Line {
  mood: Mood = 'pass';
  target = '';
  #port = 0;
  #server: Server | undefined;

  async open(): Promise<string> {
    const server = createServer((asked, reply) => {
      const isTransfer = asked.url?.includes('/Cash/v3/Transfer') ?? false;
      const isBalance = asked.url?.includes('/Cash/v3/GetPlayerWallet') ?? false;
      const isMeant = this.mood === 'bring balances late' ? isBalance : isTransfer;
      const mood = isMeant ? this.mood : 'pass';
      if (mood === 'drop before passing on') return void asked.socket.destroy();
      const onward = request(this.target + asked.url, { method: asked.method, headers: asked.headers }, (answer) => {
        if (mood === 'drop the answer') return void answer.resume().on('end', () => asked.socket.destroy());
        const pass = () => {
          reply.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(reply);
        };
        if (mood === 'bring balances late') setTimeout(pass, LATE_MS);
        else pass();
      });
      onward.on('error', () => asked.socket.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return `http://127.0.0.1:${this.#port}`;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }
}

describe('a line to the provider that breaks', () => {
  const line = new Line();
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;

  before(async () => {
    const url = await line.open();
    system = await startSystem({
      outside: (outside) => {
        const config = outside.games['pg'];
        assert.ok(config);
        line.target = config.url;
        return { ...outside, games: { ...outside.games, pg: { ...config, url } } };
      },
    });
    ledger = ledgerOf(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    await fund(ledger, member.id, '100.00');
  });
  after(async () => {
    await line.cut();
    await ledger?.close();
    await system?.stop();
  });
  const send = (from: string, to: string) => transfer(system, member.token, { from, to, amount: 10 });
  const wallet = () => balanceOf(ledger, member.id, 'WALLET');

  test('broken before the provider heard of it, it is unknown until proven not done [R-XFER-04]', async () => {
    line.mood = 'drop before passing on';
    const reply = await send('WALLET', 'pg');
    assert.equal(reply.status, 202);
    assert.deepEqual(await wallet(), { free: '90.00', held: '10.00' });
    line.mood = 'pass';
    await settled(system);
    assert.deepEqual(await legStates(system, reply.body.reference), ['REVERSED']);
    assert.deepEqual(await wallet(), { free: '100.00', held: '0.00' });
    assert.equal(await creditOf(system, 'pg', pg), '0.00');
  });

  test('broken after the provider did it, it is unknown until proven done [R-XFER-04]', async () => {
    line.mood = 'drop the answer';
    const reply = await send('WALLET', 'pg');
    assert.equal(reply.status, 202);
    line.mood = 'pass';
    await settled(system);
    assert.deepEqual(await legStates(system, reply.body.reference), ['DONE']);
    assert.deepEqual(await wallet(), { free: '90.00', held: '0.00' });
    assert.equal(await creditOf(system, 'pg', pg), '10.00');
  });

  test('a balance that is older than a transfer changes nothing [R-GAME-08] [R-XFER-04]', async () => {
    const before = await balanceOf(ledger, member.id, 'GAME:pg');
    const plays = async () => (await ledger.eventsSince(member.id, 0n)).filter(({ kind }) => kind === 'play').length;
    const playsBefore = await plays();
    line.mood = 'bring balances late';
    const refreshing = system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await eventually(
      'the balance was read',
      async () => (await system.world('GET /control/calls?target=game:pg&call=GetPlayerWallet')).body.length as number,
      (calls) => calls > 0,
    );
    assert.equal((await send('WALLET', 'pg')).status, 200);
    assert.equal((await refreshing).status, 200);
    line.mood = 'pass';
    assert.equal((await balanceOf(ledger, member.id, 'GAME:pg')).free, (Number(before.free) + 10).toFixed(2));
    assert.equal(await plays(), playsBefore, 'what was read before is no loss');
    await assertBooksAgree(system, ledger, member.id, { pg });
    assert.equal((await send('pg', 'WALLET')).status, 200);
  });

  test('a connection that never came about is a proven no, in both directions [R-XFER-02]', async () => {
    await line.cut();
    for (const [from, to] of [
      ['WALLET', 'pg'],
      ['pg', 'WALLET'],
    ] as const) {
      const reply = await send(from, to);
      assert.deepEqual([reply.status, reply.body], [502, { message: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' }]);
      assert.deepEqual(await wallet(), { free: '90.00', held: '0.00' });
    }
    await line.open();
    assert.equal((await send('pg', 'WALLET')).status, 200);
    await assertBooksAgree(system, ledger, member.id, { pg });
  });
});
