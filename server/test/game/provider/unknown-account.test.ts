import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type GameConfigs, gameProviders } from '../../../src/adapters/game/index.ts';
import { credits, type GameProvider } from '../../../src/adapters/game/port.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { outsideWithProviderTimeout } from '../../harness/games.ts';
import { buildTestOutside } from '../../harness/outside-file.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startListeningProvider } from './listening-provider.ts';

const PROVIDER_NAMES = Object.keys(buildTestOutside('http://127.0.0.1', 'http://127.0.0.1').games);
/** Fields of a configuration that are no credentials. */
const PUBLIC_CONFIG_FIELDS = new Set(['kind', 'url', 'site', 'sites', 'timeoutMs', 'formCharacters']);

const BALANCE_CREDITS = 2;
/** The movement's amount in every body. */
const AMOUNT_BAHT = '1.23';
/** Providers that sign the request; the others send only a key. */
const CONTENT_SIGNING_PROVIDERS = [
  'askmebet',
  'joker2',
  'areaslot',
  'huayhd',
  'circus',
  'pgslot',
  'naga',
  'saming',
  'royal',
];
const PATIENCE_MS = 20_000;

const player = { username: 'kpstranger01', password: 'Secret12' };
const sampleMovement = { ...player, direction: 'in', amount: credits(123n), reference: 'STRANGER1' } as const;

describe('a caller without valid credentials', () => {
  let system: System;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(PATIENCE_MS) });
  });
  after(() => system?.stop());

  const providerNamed = (configs: GameConfigs, name: string): GameProvider => {
    const provider = gameProviders(configs, undefined, systemClock).get(name);
    assert.ok(provider);
    return provider;
  };

  for (const name of PROVIDER_NAMES) {
    test(`${name}: a caller with wrong credentials is refused at every call, without effect`, async () => {
      const gameConfigs = system.outside.games;
      const ownProvider = providerNamed(gameConfigs, name);
      const secrets = Object.entries(gameConfigs[name] ?? {}).flatMap(([field, value]): [string, string][] =>
        typeof value === 'string' && !PUBLIC_CONFIG_FIELDS.has(field) ? [[field, value]] : [],
      );
      assert.ok(secrets.length > 0);
      const createOutcome = await ownProvider.create(player);
      assert.ok(createOutcome.outcome === 'done', name);
      const { username, password = player.password } = createOutcome.value;
      for (const [field, value] of secrets) {
        const otherProvider = providerNamed(
          { [name]: { ...gameConfigs[name], [field]: otherValueOf(value) } } as GameConfigs,
          name,
        );
        const outcomes = [
          await otherProvider.create({ ...player, username: 'kpstranger02' }),
          await otherProvider.setPassword({ username, password: 'Stolen12' }),
          await otherProvider.balance(username),
          await otherProvider.move({ ...sampleMovement, username }),
          ...(otherProvider.check ? [await otherProvider.check({ ...sampleMovement, username })] : []),
        ];
        for (const [index, outcome] of outcomes.entries()) {
          if (isUnsigned(name, field, index)) continue;
          assert.ok(outcome.outcome === 'refused', `${field}, call ${index} is refused`);
          // The outcome must not count as a missing transfer or an unknown player.
          assert.ok(['declined', 'unreachable'].includes(outcome.reason), `${field}, call ${index}: ${outcome.reason}`);
          assert.ok(!outcome.note.includes(username), 'notes carry no names');
        }
      }
      const balance = await ownProvider.balance(username);
      assert.ok(balance.outcome === 'done');
      assert.deepEqual([balance.value.cash, balance.value.outstanding], [0n, 0n]);
      const unknownPlayerReply = await system.simulatorsApi(`GET /games/${name}/players/kpstranger02`);
      assert.equal(unknownPlayerReply.status, 404, 'no player was opened');
      if (ownProvider.launch.kind === 'link') {
        const options = { username, password, game: null, language: 'th', returnUrl: system.url } as const;
        const link = await ownProvider.launch.open(options);
        assert.ok(link.outcome === 'done');
        assert.equal((await fetch(link.value.link)).status, 200, 'the password is still the first one');
      }
    });
  }

  for (const name of CONTENT_SIGNING_PROVIDERS) {
    test(`${name}: a transfer whose amount was altered in transit is refused`, async (t) => {
      const config = system.outside.games[name];
      assert.ok(config);
      const createOutcome = await providerNamed(system.outside.games, name).create({
        ...player,
        username: 'kpchanged01',
      });
      assert.ok(createOutcome.outcome === 'done');
      const { username } = createOutcome.value;
      let replacement = AMOUNT_BAHT;
      const { provider, stop } = await startListeningProvider({ ...config }, async ({ path, headers, body }) => {
        const passedHeaders = ['content-type', ...Object.keys(headers).filter((header) => header.startsWith('x-'))];
        const reply = await fetch(`${config.url}${path}`, {
          method: 'POST',
          headers: passedHeaders.map((header): [string, string] => [header, String(headers[header])]),
          body: body.replaceAll(AMOUNT_BAHT, replacement),
        });
        return { status: reply.status, json: await reply.json() };
      });
      t.after(stop);
      const readCash = async (): Promise<string> =>
        (await system.simulatorsApi(`GET /games/${name}/players/${username}`)).body.balance;
      assert.equal((await provider.move({ ...sampleMovement, username, reference: 'PASSED1' })).outcome, 'done');
      assert.equal(await readCash(), '1.23');
      replacement = '9.23';
      const changedOutcome = await provider.move({ ...sampleMovement, username, reference: 'CHANGED1' });
      assert.ok(changedOutcome.outcome === 'refused' && changedOutcome.reason === 'declined', name);
      assert.equal(await readCash(), '1.23');
    });
  }
});

/** askmebet requires only the key for a balance inquiry. */
const isUnsigned = (name: string, field: string, callIndex: number): boolean =>
  name === 'askmebet' && field === 'agent' && callIndex === BALANCE_CREDITS;

/** Another credential of the same shape. */
function otherValueOf(value: string): string {
  if (!value.includes('PRIVATE KEY')) return `${value}x`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
