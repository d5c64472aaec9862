import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLottoPlayer } from './games/lotto.ts';
import { createPlayer, pg } from './games/players.ts';
import { outside } from './harness.ts';

/** All paths in href or src of a page, and all modules that its modules import. */
async function loadedPaths(address: string, html: string): Promise<string[]> {
  const namedPaths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  const foundPaths = new Set(namedPaths);
  for (const path of foundPaths) {
    const text =
      /\.(js|css)$/.test(path) && !path.includes('/vendor/') ? await (await fetch(address + path)).text() : '';
    for (const [, name = ''] of text.matchAll(/from '\.\/([^']+)'/g)) foundPaths.add(path.replace(/[^/]+$/, name));
    for (const [, name = ''] of text.matchAll(/url\('([^']+)'\)/g)) foundPaths.add(name);
  }
  return [...foundPaths];
}

test('phone and game pages load only existing files, and may run no foreign script', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  const login = await pg(address, 'Login/v1/LoginGame', { player_name: 'mali01' });
  const { token } = await openLottoPlayer(address, 'dao01');
  const lottoUrl = `${address}/games/askmebet/play/?game=balls&ops=${token}`;
  for (const page of [`${address}/`, `${address}/support`, login.body.data?.url ?? '', lottoUrl]) {
    const response = await fetch(page);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-security-policy') ?? '', /script-src 'self';/);
    const paths = await loadedPaths(address, await response.text());
    assert.ok(paths.length >= 8, paths.join(' '));
    for (const path of paths) assert.equal((await fetch(address + path)).status, 200, path);
  }
});

test('a used or invalid game link shows a page with a link onward', async (t) => {
  const { address } = await outside(t);
  const response = await fetch(`${address}/games/pg/play/?ops=invented`);
  assert.equal(response.status, 401);
  assert.match(await response.text(), /รอบเล่นนี้จบแล้ว/);
});

test('the simulators serve nothing outside the public folder', async (t) => {
  const { address } = await outside(t);
  for (const path of [
    '/assets/../src/main.ts',
    '/assets/%2e%2e/src/main.ts',
    '/assets/..%2fpackage.json',
    '/assets/',
    '/nothing',
  ]) {
    assert.equal((await fetch(address + path)).status, 404, path);
  }
});

test('the simulators refuse a malformed body in the format of each protocol', async (t) => {
  const { address } = await outside(t);
  const getPage = async (path: string) => {
    const response = await fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    return JSON.stringify(await response.json());
  };
  assert.match(await getPage('/kbank/pos/qr_request'), /"errorCode":"bad_request"/);
  assert.match(await getPage('/games/pg/Cash/v3/TransferIn'), /"code":"1034"/);
  assert.match(await getPage('/games/askmebet/v0.1/partner/member/deposit/amb-key/mali02'), /"code":1006/);
  assert.match(await getPage('/bank/transfer'), /"error":"bad_request"/);
});
