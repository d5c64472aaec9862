import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { chosenSite } from '../../src/adapters/game/index.ts';
import { openGame, openLaunchLink, outsideWithProviderTimeout } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';

const SITE_URLS = {
  url: 'https://api.provider.example/v1/',
  site: 'https://play.provider.example:8443/lobby/',
  sites: { th: 'https://th.provider.example', la: 'https://la.provider.example/lao/' },
};
const { url } = SITE_URLS;
/** Long enough for a machine that is busy with other tests. */
const PATIENCE_MS = 15_000;

test("browsers open the provider's default site, or its API address if there is none", () => {
  assert.equal(chosenSite({ url }), 'https://api.provider.example/v1');
  assert.equal(chosenSite(SITE_URLS), 'https://play.provider.example:8443/lobby');
});

test('GAME_SITE with a country selects its variant, or the default site where the provider has none', () => {
  assert.equal(chosenSite(SITE_URLS, 'th'), 'https://th.provider.example');
  assert.equal(chosenSite(SITE_URLS, 'la'), 'https://la.provider.example/lao');
  assert.equal(chosenSite(SITE_URLS, 'vn'), 'https://play.provider.example:8443/lobby');
  assert.equal(chosenSite({ url }, 'th'), 'https://api.provider.example/v1');
});

test('GAME_SITE with a host replaces host and port; the path stays', () => {
  assert.equal(chosenSite(SITE_URLS, 'games.example'), 'https://games.example:8443/lobby');
  assert.equal(chosenSite(SITE_URLS, 'games.example:9000'), 'https://games.example:9000/lobby');
  assert.equal(chosenSite(SITE_URLS, 'localhost'), 'https://localhost:8443/lobby');
  assert.equal(chosenSite({ url }, '127.0.0.1:3100'), 'https://127.0.0.1:3100/v1');
  assert.equal(chosenSite({ url }, '[::1]:3100'), 'https://[::1]:3100/v1');
});

for (const [gameSite, path] of [
  [undefined, ''],
  ['th', '/site/th'],
  ['la', '/site/la'],
] as const) {
  describe(`the sites of ${gameSite ?? 'nowhere in particular'}`, () => {
    let system: System;
    let member: TestMember;
    before(async () => {
      system = await startSystem({
        outside: outsideWithProviderTimeout(PATIENCE_MS),
        ...(gameSite === undefined ? {} : { gameSite }),
      });
      member = await registerMember(system);
    });
    after(() => system?.stop());

    const slotOf = async (expected: string) => {
      const { slots } = (await system.api('GET /api/wallet', { token: member.token })).body;
      return slots.find(({ code }: { code: string }) => code === expected);
    };
    const siteUrlOf = (code: string) => `${system.simulatorsUrl}/games/${code}${path}`;

    test('game and app links lead to the configured site, where the member is signed in [R-GAME-07]', async () => {
      const { username, password } = await openGame(system, member.token, 'usun');
      const { body } = await system.api(`GET /api/autoLogin/usun/${username}/${password}`, { token: member.token });
      assert.ok(body.link.startsWith(`${siteUrlOf('usun')}/auto-login?`), body.link);
      const gamePage = await fetch(body.link);
      assert.ok(gamePage.url.startsWith(`${siteUrlOf('usun')}/play/`), gamePage.url);
      const state = await fetch(`${system.simulatorsUrl}/games/usun/play/state`, {
        headers: { authorization: `Bearer ${new URL(gamePage.url).searchParams.get('ops') ?? ''}` },
      });
      assert.equal(((await state.json()) as { username: string }).username, username);
      const { android, ios } = await slotOf('usun');
      assert.deepEqual([android, ios], [`${siteUrlOf('usun')}/app/android`, `${siteUrlOf('usun')}/app/ios`]);
      for (const store of [android, ios]) assert.equal((await fetch(store)).status, 200, store);
    });

    test('a game with a fixed address opens at the configured site [R-GAME-07]', async () => {
      const { launch, launchNeedsPassword, web } = await slotOf('royal');
      assert.deepEqual([launch, launchNeedsPassword, web], ['fixed', false, `${siteUrlOf('royal')}/`]);
      assert.equal((await fetch(web)).status, 200);
    });
  });
}

test('the configured host is in every link for browsers, and in no call of the server [R-GAME-07]', async () => {
  const system = await startSystem({
    outside: outsideWithProviderTimeout(PATIENCE_MS),
    gameSite: 'play.example.test:9999',
  });
  try {
    const { token } = await registerMember(system);
    const { username } = await openGame(system, token, 'slotracha');
    const { body } = await system.api(`GET /api/autoLogin/slotracha/${username}`, { token });
    assert.ok(body.link.startsWith('http://play.example.test:9999/games/slotracha/api/login?'), body.link);
    const localLink = body.link.replace('http://play.example.test:9999', system.simulatorsUrl);
    assert.equal((await openLaunchLink(localLink)).username, username);
    const { slots } = (await system.api('GET /api/wallet', { token })).body;
    const royalSlot = slots.find(({ code }: { code: string }) => code === 'royal');
    assert.equal(royalSlot.web, 'http://play.example.test:9999/games/royal/');
  } finally {
    await system.stop();
  }
});
