import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outside, until } from '../harness.ts';
import { drawNow, openLottoPlayer, LottoPlayer, type LottoLine, tokenOf } from './lotto.ts';
import { moveCredit } from './players.ts';

const lineOf = (kind: string, number: string, stake = 1000): LottoLine => ({ kind, number, stake });

test('every kind of lotto bet pays exactly its rate when drawn, and nothing otherwise', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  // For the result 882917: on top 917 and 17, below 29.
  const winningNumbers = {
    top3: ['917', '900.00'],
    tod3: ['791', '150.00'],
    top2: ['17', '95.00'],
    below2: ['29', '95.00'],
    runTop: ['9', '3.20'],
    runBelow: ['2', '4.20'],
  } as const;
  const losingNumbers = { top3: '971', tod3: '918', top2: '71', below2: '92', runTop: '8', runBelow: '7' } as const;
  const kinds = Object.keys(winningNumbers) as (keyof typeof winningNumbers)[];
  const soldTicket = await mali.sold(
    kinds.flatMap((kind) => [lineOf(kind, winningNumbers[kind][0], 100), lineOf(kind, losingNumbers[kind], 100)]),
    'every-kind',
  );
  await drawNow(address, { result: '882917' });
  const ticket = await mali.ticket(soldTicket.id);
  for (const kind of kinds) {
    const [wonLine, lostLine] = ticket.lines.filter((ticketLine) => ticketLine.kind === kind);
    assert.deepEqual([wonLine?.win, lostLine?.win], [winningNumbers[kind][1], '0.00'], kind);
  }
  assert.deepEqual([ticket.stake, ticket.win, ticket.result], ['12.00', '1247.40', '882917']);
  const { balance, outstanding, last } = (await mali.get('state')).body;
  assert.deepEqual([balance, outstanding, last?.result], ['2235.40', '0.00', '882917']);
});

test('three digits in any order also win in order, twins count once, and leading zeros are kept', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  const lines = [
    lineOf('tod3', '007'),
    lineOf('tod3', '700'),
    lineOf('tod3', '770'),
    lineOf('runTop', '0'),
    lineOf('top2', '07'),
  ];
  const soldTicket = await mali.sold([...lines, lineOf('below2', '00')], 'with-zeros');
  await drawNow(address, { result: '000007' });
  const ticket = await mali.ticket(soldTicket.id);
  assert.deepEqual(
    ticket.lines.map(({ win }) => win),
    ['1500.00', '1500.00', '0.00', '32.00', '950.00', '950.00'],
  );
});

test('a ticket is outstanding until its draw, and its stake can not leave the game', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01', '100.00');
  const soldTicket = await mali.sold([lineOf('top2', '12', 6000), lineOf('runTop', '3', 1000)], 'outstanding');
  assert.deepEqual([soldTicket.win, soldTicket.result, soldTicket.lines[0]?.win], [null, null, null]);
  const { balance, outstanding } = (await mali.get('state')).body;
  assert.deepEqual([balance, outstanding], ['30.00', '70.00']);
  assert.equal((await moveCredit(address, 'withdraw', 'mali01', '30.01')).body.code, 1005);
  await drawNow(address, { result: '999999' });
  assert.equal((await mali.ticket(soldTicket.id)).win, '0.00');
  assert.deepEqual((await mali.get('tickets')).body.outstanding, '0.00');
  assert.equal((await moveCredit(address, 'withdraw', 'mali01', '30.00')).body.code, 0);
});

test('after sales have closed no ticket is sold, for this draw or a past one', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  const { draw } = (await mali.get('state')).body;
  assert.equal(draw.open, true);
  assert.equal(draw.drawAt - draw.closesAt, 20_000);
  assert.equal(draw.drawAt % 180_000, 0);
  await drawNow(address, { afterMs: 19_000 });
  assert.equal((await mali.get('state')).body.draw.open, false);
  const order = { draw: draw.number, lines: [lineOf('top2', '12')], key: 'too-late-1' };
  const closedReply = await mali.buy(order);
  assert.deepEqual([closedReply.status, closedReply.body.error], [409, 'betting_closed']);
  await drawNow(address);
  const drawnReply = await mali.buy(order);
  assert.deepEqual([drawnReply.status, drawnReply.body.error], [409, 'betting_closed']);
  const nextReply = await mali.buy({ ...order, draw: draw.number + 1 });
  assert.equal(nextReply.status, 201);
  const laterReply = await mali.buy({ ...order, draw: draw.number + 2, key: 'too-early-1' });
  assert.deepEqual([laterReply.status, laterReply.body.error], [404, 'unknown_draw']);
  assert.equal((await mali.get('state')).body.balance, '990.00');
});

test('a repeated key sells one ticket, also after sales have closed; for another ticket it is refused', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  const { draw } = (await mali.get('state')).body;
  const order = { draw: draw.number, lines: [lineOf('top2', '12')], key: 'the-same-key' };
  const parallelReplies = await Promise.all(Array.from({ length: 20 }, () => mali.buy(order)));
  assert.equal(new Set(parallelReplies.map(({ body }) => body.ticket.id)).size, 1);
  const otherReply = await mali.buy({ ...order, lines: [lineOf('top2', '21')] });
  assert.deepEqual([otherReply.status, otherReply.body.error], [409, 'key_used']);
  await drawNow(address, { result: '000012' });
  const repeatedReply = await mali.buy(order);
  assert.deepEqual(
    [repeatedReply.status, repeatedReply.body.ticket.id, repeatedReply.body.ticket.win],
    [201, parallelReplies[0]?.body.ticket.id, '950.00'],
  );
  assert.equal((await mali.get('state')).body.balance, '1940.00');
});

test('malformed, huge and impossible tickets are refused and cost nothing', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  const { draw } = (await mali.get('state')).body;
  const lines: unknown[] = [
    lineOf('top3', '12'),
    lineOf('top2', '123'),
    lineOf('runTop', '12'),
    lineOf('top2', '1a'),
    lineOf('top2', '๑๒'),
    lineOf('top2', '-1'),
    lineOf('top9', '12'),
    lineOf('toString', '12'),
    lineOf('top2', '12', 0),
    lineOf('top2', '12', -1000),
    lineOf('top2', '12', 150),
    lineOf('top2', '12', 100.5),
    lineOf('top2', '12', 500_100),
    lineOf('top2', '12', 1e300),
    { kind: 'top2', number: 12, stake: 1000 },
    { kind: 'top2', number: '12', stake: '1000' },
    { kind: 'top2', number: '12', stake: 1000, tenths: 99_999 },
    null,
  ];
  const validLine = lineOf('top2', '12');
  const invalidBodies: unknown[] = [
    ...lines.map((invalidLine) => ({ draw: draw.number, lines: [validLine, invalidLine], key: 'malformed-1' })),
    { draw: draw.number, lines: [], key: 'malformed-1' },
    { draw: draw.number, lines: Array.from({ length: 61 }, () => validLine), key: 'malformed-1' },
    { draw: draw.number, lines: 'all', key: 'malformed-1' },
    { draw: draw.number, lines: [validLine], key: 'short' },
    { draw: draw.number, lines: [validLine], key: 'x'.repeat(65) },
    { draw: draw.number, lines: [validLine] },
    { draw: 1.5, lines: [validLine], key: 'malformed-1' },
    { draw: -1, lines: [validLine], key: 'malformed-1' },
    { draw: 1e300, lines: [validLine], key: 'malformed-1' },
    { draw: draw.number, lines: [validLine], key: 'malformed-1', username: 'other' },
    [],
    'ticket',
  ];
  for (const body of invalidBodies) {
    const { status, body: replyBody } = await mali.buy(body);
    assert.deepEqual([status, replyBody.error], [400, 'bad_input'], JSON.stringify(body));
  }
  const tooExpensive = await mali.buy({
    draw: draw.number,
    lines: Array.from({ length: 60 }, () => lineOf('top3', '123', 500_000)),
    key: 'too-dear-1',
  });
  assert.deepEqual([tooExpensive.status, tooExpensive.body.error], [409, 'not_enough_money']);
  const { balance, outstanding } = (await mali.get('tickets')).body;
  assert.deepEqual([balance, outstanding], ['1000.00', '0.00']);
});

test('a session of another player, game or provider can neither see nor buy tickets', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  await mali.sold([lineOf('top2', '12')], 'tickets-of-mali');
  const dao = await openLottoPlayer(address, 'dao01');
  assert.deepEqual((await dao.get('tickets')).body.tickets, []);
  // Each player has separate keys.
  const ownTicket = await dao.sold([lineOf('top2', '12')], 'tickets-of-mali');
  assert.equal((await dao.get('tickets')).body.tickets[0]?.id, ownTicket.id);
  assert.equal((await mali.get('state')).body.balance, '990.00');
  for (const token of ['', 'invented', `${mali.token}x`]) {
    const stranger = new LottoPlayer(address, token);
    for (const path of ['state', 'tickets', 'results']) assert.equal((await stranger.get(path)).status, 401);
    assert.equal((await stranger.buy({ draw: 1, lines: [lineOf('top2', '12')], key: 'nobody-at-all' })).status, 401);
  }
  assert.equal((await mali.get('state', 'huayhd')).status, 401);
  assert.equal((await mali.get('state', 'pg')).status, 404);
  const atCards = new LottoPlayer(address, await tokenOf(address, 'mali01', 'cards'));
  const refusedReply = await atCards.get('state');
  assert.deepEqual([refusedReply.status, refusedReply.body.error], [409, 'other_game']);
});

test('a draw takes place on schedule, at random, and is kept in the list of results', async (t) => {
  const { address } = await outside(t);
  const mali = await openLottoPlayer(address, 'mali01');
  await mali.sold([lineOf('runTop', '1')], 'by-itself-1');
  await drawNow(address, { afterMs: 400 });
  // Calls only the provider, so that no request of the page triggers the draw.
  const readPlayer = async () => (await fetch(`${address}/games/askmebet/players/mali01`)).json();
  await until(
    async () => ((await readPlayer()) as { outstanding: string }).outstanding === '0.00',
    'the draw by itself',
  );
  for (let n = 0; n < 5; n++) await drawNow(address);
  const { results } = (await mali.get('results')).body;
  assert.deepEqual(
    results.map(({ number }) => number),
    [6, 5, 4, 3, 2, 1],
  );
  for (const { result } of results) assert.match(result, /^\d{6}$/);
  assert.ok(new Set(results.map(({ result }) => result)).size > 1);
});

test('the control page draws at one provider, one game or all, and refuses invalid results', async (t) => {
  const { address } = await outside(t);
  const oneDraw = await drawNow(address, { result: '123456' });
  assert.deepEqual(
    oneDraw.body.draws.map(({ provider, game, result }) => [provider, game, result]),
    [['askmebet', 'balls', '123456']],
  );
  const allDraws = await drawNow(address, { provider: undefined });
  assert.ok(allDraws.body.draws.length > 1);
  for (const body of [{ result: '12345' }, { result: '1234567' }, { result: 'abcdef' }, { afterMs: -1 }, { wrong: 1 }])
    assert.equal((await drawNow(address, body)).status, 400, JSON.stringify(body));
  assert.equal((await drawNow(address, { provider: 'pg' })).status, 404);
});
