import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { gameProviders } from '../../src/adapters/game/index.ts';
import type { GameProvider, Player } from '../../src/adapters/game/port.ts';
import { systemClock } from '../../src/platform/time.ts';
import { outsideWithProviderTimeout } from '../harness/games.ts';
import { startSystem, type System } from '../harness/system.ts';

const PATIENCE_MS = 20_000;

describe('the site where games open', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(PATIENCE_MS) });
  });
  after(() => system?.stop());

  /** Opens a game like a member's browser. @returns the final URL */
  async function readLaunchOrigin({ launch }: GameProvider, player: Player): Promise<string> {
    if (launch.kind === 'fixed') return (await fetch(launch.address)).url;
    if (launch.kind === 'form') {
      const { action, fields } = launch.form(player, { language: 'th', returnUrl: system.url });
      return (await fetch(action, { method: 'POST', body: new URLSearchParams(fields) })).url;
    }
    const launchOutcome = await launch.open({ ...player, game: null, language: 'th', returnUrl: system.url });
    assert.ok(launchOutcome.outcome === 'done');
    const page = await fetch(launchOutcome.value.link);
    assert.equal(page.status, 200, 'the game opens');
    return page.url;
  }

  for (const [siteSetting, variant] of [
    ['the default site', () => undefined],
    ['the site of a country', () => 'la'],
    ['a host of the operator', () => `localhost:${new URL(system.simulatorsUrl).port}`],
  ] as const) {
    test(`games open at ${siteSetting}, at every provider and by every launch method`, async () => {
      const site = variant();
      const siteOrigin = site?.includes(':') ? `http://${site}` : system.simulatorsUrl;
      const providers = gameProviders(system.outside.games, site, systemClock);
      for (const provider of providers.values()) {
        const login = { username: `kpsite${siteSetting.length}`, password: 'Secret12' };
        const createOutcome = await provider.create(login);
        assert.ok(createOutcome.outcome === 'done', provider.name);
        const address = await readLaunchOrigin(provider, { ...login, ...createOutcome.value });
        const path = `/games/${provider.name}/${site === 'la' ? 'site/la/' : ''}`;
        const page = provider.launch.kind === 'fixed' ? '' : 'play/';
        assert.ok(address.startsWith(`${siteOrigin}${path}${page}`), `${provider.name} opens at ${address}`);
      }
    });
  }
});
