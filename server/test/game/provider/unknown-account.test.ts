import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../src/platform/time.ts';
import { credits, type GameProvider } from '../../../src/adapters/game/port.ts';
import { type GameConfigs, gameProviders } from '../../../src/adapters/game/index.ts';
import { providersWithin } from '../../harness/games.ts';
import { testOutside } from '../../harness/outside-file.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { listeningProvider } from './listening-provider.ts';

const PROVIDERS = Object.keys(testOutside('http://127.0.0.1', 'http://127.0.0.1').games);
/** Fields of a configuration that are no credentials. */
const OPEN = new Set(['kind', 'url', 'site', 'sites', 'timeoutMs', 'formCharacters']);

const BALANCE = 2;
/** The movement's amount in every body. */
const AMOUNT = '1.23';
/** Providers that sign the request; the others send only a key. */
const SIGNS_CONTENT = ['askmebet', 'joker2', 'areaslot', 'huayhd', 'circus', 'pgslot', 'naga', 'saming', 'royal'];
const PATIENCE_MS = 20_000;

const player = { username: 'kpstranger01', password: 'Secret12' };
const movement = { ...player, direction: 'in', amount: credits(123n), reference: 'STRANGER1' } as const;

describe('a caller without our credentials', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ outside: providersWithin(PATIENCE_MS) });
  });
  after(() => system?.stop());

  const named = (configs: GameConfigs, name: string): GameProvider => {
    const provider = gameProviders(configs, undefined, systemClock).get(name);
    assert.ok(provider);
    return provider;
  };

  for (const name of PROVIDERS) {
    test(`${name}: is refused at every call, and nothing is done`, async () => {
      const configs = system.outside.games;
      const ours = named(configs, name);
      const secrets = Object.entries(configs[name] ?? {}).flatMap(([field, value]): [string, string][] =>
        typeof value === 'string' && !OPEN.has(field) ? [[field, value]] : [],
      );
      assert.ok(secrets.length > 0);
      const opened = await ours.create(player);
      assert.ok(opened.outcome === 'done', name);
      const { username, password = player.password } = opened.value;
      for (const [field, value] of secrets) {
        const theirs = named({ [name]: { ...configs[name], [field]: another(value) } } as GameConfigs, name);
        const answers = [
          await theirs.create({ ...player, username: 'kpstranger02' }),
          await theirs.setPassword({ username, password: 'Stolen12' }),
          await theirs.balance(username),
          await theirs.move({ ...movement, username }),
          ...(theirs.check ? [await theirs.check({ ...movement, username })] : []),
        ];
        for (const [index, answer] of answers.entries()) {
          if (isUnsigned(name, field, index)) continue;
          assert.ok(answer.outcome === 'refused', `${field}, call ${index} is refused`);
          // It must not be taken for a missing transfer or an unknown player.
          assert.ok(['declined', 'unreachable'].includes(answer.reason), `${field}, call ${index}: ${answer.reason}`);
          assert.ok(!answer.note.includes(username), 'notes carry no names');
        }
      }
      const balance = await ours.balance(username);
      assert.ok(balance.outcome === 'done');
      assert.deepEqual([balance.value.cash, balance.value.outstanding], [0n, 0n]);
      const unknown = await system.world(`GET /games/${name}/players/kpstranger02`);
      assert.equal(unknown.status, 404, 'no player was opened');
      if (ours.launch.kind === 'link') {
        const options = { username, password, game: null, language: 'th', returnUrl: system.url } as const;
        const link = await ours.launch.open(options);
        assert.ok(link.outcome === 'done');
        assert.equal((await fetch(link.value.link)).status, 200, 'the password is still the first one');
      }
    });
  }

  for (const name of SIGNS_CONTENT) {
    test(`${name}: a transfer whose amount was altered in transit is refused`, async (t) => {
      const config = system.outside.games[name];
      assert.ok(config);
      const opened = await named(system.outside.games, name).create({ ...player, username: 'kpchanged01' });
      assert.ok(opened.outcome === 'done');
      const { username } = opened.value;
      let becomes = AMOUNT;
      const { provider, stop } = await listeningProvider({ ...config }, async ({ path, headers, body }) => {
        const passed = ['content-type', ...Object.keys(headers).filter((header) => header.startsWith('x-'))];
        const reply = await fetch(`${config.url}${path}`, {
          method: 'POST',
          headers: passed.map((header): [string, string] => [header, String(headers[header])]),
          body: body.replaceAll(AMOUNT, becomes),
        });
        return { status: reply.status, json: await reply.json() };
      });
      t.after(stop);
      const cash = async (): Promise<string> =>
        (await system.world(`GET /games/${name}/players/${username}`)).body.balance;
      assert.equal((await provider.move({ ...movement, username, reference: 'PASSED1' })).outcome, 'done');
      assert.equal(await cash(), '1.23');
      becomes = '9.23';
      const changed = await provider.move({ ...movement, username, reference: 'CHANGED1' });
      assert.ok(changed.outcome === 'refused' && changed.reason === 'declined', name);
      assert.equal(await cash(), '1.23');
    });
  }
});

/** askmebet requires only the key for a balance inquiry. */
const isUnsigned = (name: string, field: string, call: number): boolean =>
  name === 'askmebet' && field === 'agent' && call === BALANCE;

/** Another credential of the same shape. */
function another(value: string): string {
  if (!value.includes('PRIVATE KEY')) return `${value}x`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
