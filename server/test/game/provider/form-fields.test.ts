import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import type { Player } from '../../../src/adapters/game/port.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { openGame } from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { buildTestOutside } from '../../harness/outside-file.ts';
import { startSystem } from '../../harness/system.ts';

const { games } = buildTestOutside('http://127.0.0.1:1', 'http://127.0.0.1:2');
const LAUNCH_OPTIONS = { language: 'la', returnUrl: 'https://krapao.example/wallet' } as const;

function launchFormFields(name: string, player: Player): Readonly<Record<string, string>> {
  const launch = gameProviders(games, undefined, systemClock).get(name)?.launch;
  assert.ok(launch?.kind === 'form');
  return launch.form(player, LAUNCH_OPTIONS).fields;
}

const tooLongLogin: Player = { username: 'abcdefghijklmnopq', password: 'ABCDEFGHIJKLMNOPQ' };
const commonFields = { lang: 'la', return_url: LAUNCH_OPTIONS.returnUrl };

test("the length limits of a provider's form bound the player's name and password [R-GAME-06]", () => {
  assert.deepEqual(launchFormFields('saming', tooLongLogin), {
    username: 'abcdefghijklmnop',
    password: 'ABCDEFGHIJKLMNOP',
    ...commonFields,
  });
  const longestLogin: Player = { username: 'abcdefghijklmnop', password: 'ABCDEFGHIJKLMNOP' };
  assert.deepEqual(launchFormFields('saming', longestLogin), { ...longestLogin, ...commonFields });
});

test('a form without length limits receives name and password whole [R-GAME-06]', () => {
  assert.deepEqual(launchFormFields('naga', tooLongLogin), { ...tooLongLogin, ...commonFields });
});

/** Shorter than our usernames and passwords, so that they are truncated. */
const SHORTER_PASSWORD_LENGTH = 6;

test('a form with a character limit receives no more of username and password; a form without one receives all', async () => {
  const system = await startSystem({
    outside: (outside) => {
      const { saming, ...games } = outside.games;
      assert.equal(saming?.kind, 'formpost');
      return { ...outside, games: { ...games, saming: { ...saming, formCharacters: SHORTER_PASSWORD_LENGTH } } };
    },
  });
  try {
    const { token } = await registerMember(system);
    for (const [code, maxLength] of [
      ['saming', SHORTER_PASSWORD_LENGTH],
      ['naga', Infinity],
    ] as const) {
      const { username, password } = await openGame(system, token, code);
      assert.ok(username.length > SHORTER_PASSWORD_LENGTH && password.length > SHORTER_PASSWORD_LENGTH);
      const { body } = await system.api(`GET /api/wallet/account/${code}`, { token });
      const { fields } = body.form;
      assert.deepEqual(
        [fields.username, fields.password],
        [username.slice(0, maxLength), password.slice(0, maxLength)],
        code,
      );
    }
  } finally {
    await system.stop();
  }
});
