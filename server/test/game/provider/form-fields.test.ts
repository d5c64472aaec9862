import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { systemClock } from '../../../src/platform/time.ts';
import type { Player } from '../../../src/adapters/game/port.ts';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import { openGame } from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { testOutside } from '../../harness/outside-file.ts';
import { startSystem } from '../../harness/system.ts';

const { games } = testOutside('http://127.0.0.1:1', 'http://127.0.0.1:2');
const WISH = { language: 'la', returnUrl: 'https://krapao.example/wallet' } as const;

function formFields(name: string, player: Player): Readonly<Record<string, string>> {
  const launch = gameProviders(games, undefined, systemClock).get(name)?.launch;
  assert.ok(launch?.kind === 'form');
  return launch.form(player, WISH).fields;
}

const long: Player = { username: 'abcdefghijklmnopq', password: 'ABCDEFGHIJKLMNOPQ' };
const rest = { lang: 'la', return_url: WISH.returnUrl };

test('of a provider’s form that has a length the player’s name and password are at most so long [R-GAME-06]', () => {
  assert.deepEqual(formFields('saming', long), {
    username: 'abcdefghijklmnop',
    password: 'ABCDEFGHIJKLMNOP',
    ...rest,
  });
  const fitting: Player = { username: 'abcdefghijklmnop', password: 'ABCDEFGHIJKLMNOP' };
  assert.deepEqual(formFields('saming', fitting), { ...fitting, ...rest });
});

test('another provider’s form has all of both [R-GAME-06]', () => {
  assert.deepEqual(formFields('naga', long), { ...long, ...rest });
});

/** Fewer than in our usernames and passwords, so that they are truncated. */
const SHORT = 6;

test('a form with a character limit receives no more of username and password; a form without one receives all', async () => {
  const system = await startSystem({
    outside: (outside) => {
      const { saming, ...games } = outside.games;
      assert.equal(saming?.kind, 'formpost');
      return { ...outside, games: { ...games, saming: { ...saming, formCharacters: SHORT } } };
    },
  });
  try {
    const { token } = await registerMember(system);
    for (const [code, most] of [
      ['saming', SHORT],
      ['naga', Infinity],
    ] as const) {
      const { username, password } = await openGame(system, token, code);
      assert.ok(username.length > SHORT && password.length > SHORT);
      const { body } = await system.api(`GET /api/wallet/account/${code}`, { token });
      const { fields } = body.form;
      assert.deepEqual([fields.username, fields.password], [username.slice(0, most), password.slice(0, most)], code);
    }
  } finally {
    await system.stop();
  }
});
