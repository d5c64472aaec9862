import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROVIDERS } from '../../src/games/providers.ts';
import { ask } from '../harness.ts';
import { startAllProviders, MEMBER, open, order } from './game-servers.ts';
import { launchPath } from './players.ts';

type PageState = {
  username: string;
  language: string;
  returnUrl: string | null;
  balance: string;
  game: { code: string; kind: string };
};

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const tokenIn = (path: string) => new URL(path, 'http://any').searchParams.get('ops') ?? '';
const stateOf = (address: string, provider: string, token: string) =>
  ask<PageState>(address, 'GET', `/games/${provider}/play/state`, undefined, { authorization: `Bearer ${token}` });
/** A link with a valid signature where the provider needs one. */
function launchLink(provider: string, fields: Record<string, string>): string {
  const signedUrl = new URL(launchPath(fields['username'] ?? '', fields['password'] ?? ''), 'http://any').searchParams;
  const hash = provider === 'askmebet' ? { hash: signedUrl.get('hash') ?? '' } : {};
  return `/games/${provider}/enter?${query({ ...hash, ...fields })}`;
}

test('at all fourteen providers a link with the right password opens the main game and removes the password from the address', async (t) => {
  const address = await startAllProviders(t);
  const kinds = new Map<string, string>();
  for (const provider of PROVIDERS) {
    const { status, to } = await open(address, launchLink(provider, { ...MEMBER, lang: 'en' }));
    assert.equal(status, 302, provider);
    assert.doesNotMatch(to, /Secret12/);
    assert.equal((await open(address, to)).status, 200);
    const { body } = await stateOf(address, provider, tokenIn(to));
    assert.deepEqual([body.username, body.language, body.balance], [MEMBER.username, 'en', '0.00']);
    kinds.set(provider, body.game.kind);
    for (const wrongCredentials of [
      { ...MEMBER, password: 'Secret13' },
      { ...MEMBER, username: 'nobody' },
      {},
      { token: 'no' },
    ]) {
      const refusedPage = await open(address, launchLink(provider, wrongCredentials));
      assert.equal(refusedPage.status, 401);
      assert.match(refusedPage.html, /รอบเล่นนี้จบแล้ว/);
    }
    assert.equal((await open(address, launchLink(provider, { ...MEMBER, game: 'no such game' }))).status, 401);
  }
  const providersOfKind = (kind: string) => PROVIDERS.filter((provider) => kinds.get(provider) === kind);
  assert.deepEqual(providersOfKind('lotto'), ['huayhd', 'royal']);
  assert.ok(
    ['imi', 'usun', 'circus', 'saming'].every((provider) =>
      providersOfKind('sports').some((name) => name === provider),
    ),
  );
});

test('a token opens the game of its session, at its provider only, and links back to the wallet', async (t) => {
  const address = await startAllProviders(t);
  const { to } = await open(address, launchLink('betflix', { ...MEMBER, game: 'tiger' }));
  const token = tokenIn(to);
  const enteredPage = await open(address, `/games/betflix/enter?token=${token}`);
  assert.deepEqual([enteredPage.status, enteredPage.to], [302, to]);
  const returnUrl = 'https://wallet.example/home';
  const customizedEntry = await open(
    address,
    `/games/betflix/enter?${query({ token, game: 'market', return_url: returnUrl })}`,
  );
  const otherState = await stateOf(address, 'betflix', tokenIn(customizedEntry.to));
  assert.deepEqual([otherState.body.game.code, otherState.body.returnUrl], ['market', returnUrl]);
  assert.equal((await stateOf(address, 'betflix', token)).body.game.code, 'tiger');
  assert.equal((await open(address, `/games/betflix/enter?${query({ token, game: 'cards' })}`)).status, 401);
  const scriptEntry = await open(
    address,
    `/games/betflix/enter?${query({ token, return_url: 'javascript:alert(1)' })}`,
  );
  assert.equal((await stateOf(address, 'betflix', tokenIn(scriptEntry.to))).body.returnUrl, 'http://localhost:3000');
  assert.equal((await open(address, `/games/areaslot/enter?token=${token}`)).status, 401);
  assert.equal((await stateOf(address, 'areaslot', token)).status, 401);
});

test('a session of another game cannot play the slot', async (t) => {
  const address = await startAllProviders(t);
  const token = tokenIn((await open(address, launchLink('huayhd', MEMBER))).to);
  const spin = await ask<{ error: string }>(
    address,
    'POST',
    '/games/huayhd/play/spin',
    { bet: 100, key: 'round-0001' },
    { authorization: `Bearer ${token}` },
  );
  assert.deepEqual([spin.status, spin.body.error], [409, 'other_game']);
});

test('a form signs in at providers with forms; saming accepts at most sixteen characters', async (t) => {
  const address = await startAllProviders(t);
  for (const provider of ['naga', 'saming']) {
    const enteredPage = await open(address, `/games/${provider}/login`, { ...MEMBER, lang: 'en' });
    assert.equal(enteredPage.status, 303, provider);
    assert.equal((await stateOf(address, provider, tokenIn(enteredPage.to))).body.username, MEMBER.username);
    const refusedPage = await open(address, `/games/${provider}/login`, { ...MEMBER, password: 'x' });
    assert.equal(refusedPage.status, 401);
    assert.match(refusedPage.html, /เข้าสู่ระบบไม่สำเร็จ/);
    assert.equal((await open(address, `/games/${provider}/login`, {})).status, 401);
  }
  for (const [length, status] of [
    [16, 401],
    [17, 400],
  ] as const) {
    const longText = 'a'.repeat(length);
    assert.equal((await open(address, '/games/saming/login', { ...MEMBER, username: longText })).status, status);
    assert.equal((await open(address, '/games/saming/login', { ...MEMBER, password: longText })).status, status);
    assert.equal((await open(address, '/games/naga/login', { ...MEMBER, password: longText })).status, 401);
  }
  assert.equal((await open(address, '/games/pg/login', MEMBER)).status, 404);
});

test('royal, huayhd: a person signs in manually, and a wrong password is reported on the same page', async (t) => {
  const address = await startAllProviders(t);
  for (const site of ['/games/royal', '/games/royal/site/la', '/games/huayhd', '/games/huayhd/site/th']) {
    const page = await open(address, `${site}/`);
    assert.equal(page.status, 200);
    assert.match(page.html, /name="username"[\s\S]*name="password"/);
    const refusedPage = await open(address, `${site}/login`, { ...MEMBER, password: 'no', lang: 'en' });
    assert.deepEqual([refusedPage.status, refusedPage.to], [303, `${site}/?l=en&wrong=1`]);
    const enteredPage = await open(address, `${site}/login`, MEMBER);
    assert.equal(enteredPage.status, 303);
    assert.ok(enteredPage.to.startsWith(`${site}/play/?`), enteredPage.to);
    assert.equal((await open(address, enteredPage.to)).status, 200);
  }
  assert.equal((await open(address, '/games/pg/')).status, 404);
});

test("an app's link opens its store page, and signs in only with valid credentials", async (t) => {
  const address = await startAllProviders(t);
  for (const platform of ['android', 'ios']) {
    const storePath = `/games/joker2/app/${platform}`;
    assert.equal((await open(address, storePath)).status, 200);
    const storeEntry = await open(address, `${storePath}?${query(MEMBER)}`);
    assert.equal(storeEntry.status, 302);
    assert.doesNotMatch(storeEntry.to, /Secret12/);
    const token = new URL(storeEntry.to, address).searchParams.get('token') ?? '';
    assert.equal((await open(address, storeEntry.to)).status, 200);
    assert.equal((await stateOf(address, 'joker2', token)).body.username, MEMBER.username);
    const enteredPage = await open(address, `/games/joker2/enter?token=${token}`);
    assert.ok(enteredPage.to.startsWith('/games/joker2/play/?'));
    const strangerEntry = await open(address, `${storePath}?${query({ ...MEMBER, password: 'no' })}`);
    assert.deepEqual([strangerEntry.status, strangerEntry.to], [302, `${storePath}?l=th`]);
  }
  assert.equal((await open(address, '/games/joker2/app/windows')).status, 404);
});

test("every provider's pages are served at its variants for Thailand and Laos, and nowhere else", async (t) => {
  const address = await startAllProviders(t);
  for (const country of ['th', 'la']) {
    const site = `/games/usun/site/${country}`;
    const { to } = await open(address, `${site}/enter?${query(MEMBER)}`);
    assert.ok(to.startsWith(`${site}/play/?`), to);
    assert.equal((await open(address, to)).status, 200);
    const lotto = (await open(address, `/games/huayhd/site/${country}/enter?${query(MEMBER)}`)).to;
    const slot = (await open(address, `/games/joker2/site/${country}/enter?${query(MEMBER)}`)).to;
    const endedPath = `${site}/play/`;
    for (const page of [to, lotto, slot, endedPath, `${site}/app/ios`, `/games/royal/site/${country}/`]) {
      assert.match((await open(address, page)).html, /\/assets\/site\/mark\.js/, page);
    }
    const amb = launchPath(MEMBER.username, MEMBER.password).replace('/askmebet/', `/askmebet/site/${country}/`);
    assert.ok((await open(address, amb)).to.startsWith(`/games/askmebet/site/${country}/play/?`));
  }
  assert.equal((await open(address, `/games/usun/site/vn/enter?${query(MEMBER)}`)).status, 404);
});

test('in maintenance, or with launches refused, every entry page says so', async (t) => {
  const address = await startAllProviders(t);
  const ways: [string, Record<string, string>?][] = [
    [`/games/royal/enter?${query(MEMBER)}`],
    ['/games/royal/login', MEMBER],
  ];
  for (const [state, status, words] of [
    [{ maintenance: true, launchRefused: false }, 503, /ปิดปรับปรุง/],
    [{ maintenance: false, launchRefused: true }, 403, /ยังเข้าเกมไม่ได้/],
  ] as const) {
    await order(address, { royal: state });
    for (const [path, form] of [...ways, ['/games/royal/'] as [string]]) {
      const page = await open(address, path, form);
      assert.equal(page.status, status, path);
      assert.match(page.html, words);
    }
    assert.equal((await open(address, `/games/naga/enter?${query(MEMBER)}`)).status, 302);
  }
  await order(address, { royal: { launchRefused: false } });
  assert.equal((await open(address, `/games/royal/enter?${query(MEMBER)}`)).status, 302);
});
