import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAMES } from '../src/games/catalogue.ts';
import { nameOf } from '../src/games/lotto/names.ts';
import { PROVIDERS } from '../src/games/providers.ts';
import { LANGUAGES } from '../src/games/sessions.ts';
import { LEAGUES } from '../src/games/sports/teams.ts';
import { fourteen, MEMBER, open } from './games/game-servers.ts';
import { ask } from './harness.ts';
import { launchPath } from './games/players.ts';

type Words = { [key: string]: string | Words | ((...values: unknown[]) => string) };

const THAI = /[\u0e01-\u0e3a\u0e40-\u0e5b]/;
const LAO = /[\u0e81-\u0edf]/;
/** Letters that no sentence of a language has. */
const FOREIGN = { th: LAO, la: THAI, en: new RegExp(`${THAI.source}|${LAO.source}`) } as const;

/** A link into askmebet with further settings. */
function entry(fields: Record<string, string>): string {
  const link = new URL(launchPath(MEMBER.username, MEMBER.password), 'http://any');
  link.searchParams.delete('lang');
  for (const [name, value] of Object.entries(fields)) link.searchParams.set(name, value);
  return `${link.pathname}${link.search}`;
}

const wordsOf = async (kind: string): Promise<Record<string, Words>> =>
  ((await import(`../public/${kind}/words.js`)) as { WORDS: Record<string, Words> }).WORDS;

/** Every text by its key, with placeholders filled. */
function sentences(words: Words, key = ''): [string, string][] {
  return Object.entries(words).flatMap(([name, value]): [string, string][] => {
    const full = `${key}.${name}`;
    if (typeof value === 'string') return [[full, value]];
    return typeof value === 'function' ? [[full, value('7', '8')]] : sentences(value, full);
  });
}

test('every game, the phone and the support page have all texts in Thai, Lao and English, each in the letters of its language', async () => {
  for (const kind of ['slot', 'sports/words', 'lotto', 'phone/words', 'support']) {
    const words = await wordsOf(kind);
    const keys = sentences(words['th'] ?? {}).map(([key]) => key);
    for (const language of LANGUAGES) {
      const said = sentences(words[language] ?? {});
      assert.deepEqual(
        said.map(([key]) => key),
        keys,
        `${kind} ${language}`,
      );
      for (const [key, text] of said) {
        assert.ok(text.trim() !== '' && !FOREIGN[language].test(text), `${kind} ${language}${key}: ${text}`);
      }
    }
  }
});

test('every slot of every provider has its own pictures, colours and name in each language', async () => {
  const words = await wordsOf('slot');
  const skins = new URL('../public/slot/skins.js', import.meta.url).href;
  const { SYMBOLS } = (await import(skins)) as { SYMBOLS: Record<string, string[]> };
  const mains = PROVIDERS.map((provider) => GAMES[provider][0]).filter(({ kind }) => kind === 'slot');
  assert.equal(
    new Set(mains.map(({ skin }) => skin)).size,
    mains.length,
    'no two providers share the skin of their main game',
  );
  for (const { skin } of Object.values(GAMES).flatMap((games) => games.filter(({ kind }) => kind === 'slot'))) {
    assert.equal(new Set(SYMBOLS[skin]).size, 7, skin);
    for (const language of LANGUAGES) assert.equal(typeof words[language]?.[skin], 'string', `${skin} ${language}`);
  }
});

test('teams, leagues and draws are called by names in the letters of each language', () => {
  const named = [
    ...LEAGUES.flatMap((league) => [league, ...league.teams]),
    ...PROVIDERS.map((provider) => nameOf(provider, 'balls')),
  ];
  for (const language of LANGUAGES) {
    for (const name of named)
      assert.ok(name[language] !== '' && !FOREIGN[language].test(name[language]), name[language]);
    for (const { teams } of LEAGUES) assert.equal(new Set(teams.map((team) => team[language])).size, teams.length);
  }
});

test('every game opens in the language of its link: the page, its session, its teams and its name', async (t) => {
  const address = await fourteen(t);
  for (const language of LANGUAGES) {
    for (const [kind, game] of [
      ['slot', 'cards'],
      ['sports', 'sports'],
      ['lotto', 'balls'],
    ] as const) {
      const { to } = await open(address, entry({ lang: language, game }));
      const query = new URL(to, address).searchParams;
      assert.equal(query.get('l'), language);
      assert.match((await open(address, to)).html, new RegExp(`/assets/${kind}/`));
      const authorization = `Bearer ${query.get('ops') ?? ''}`;
      const path = { slot: 'play/state', sports: 'sports/board', lotto: 'lotto/state' }[kind];
      const asked = await ask<{ language: string; matches?: { league: string; home: { name: string } }[] }>(
        address,
        'GET',
        `/games/askmebet/${path}`,
        undefined,
        { authorization },
      );
      assert.equal(asked.body.language, language);
      for (const { league, home } of asked.body.matches ?? [])
        assert.doesNotMatch(league + home.name, FOREIGN[language]);
    }
  }
  const odd = await open(address, entry({ lang: 'constructor' }));
  assert.equal(new URL(odd.to, address).searchParams.get('l'), 'th', 'an unknown language falls back to Thai');
  const lao = await open(address, entry({}).replace('/askmebet/', '/askmebet/site/la/'));
  assert.equal(
    new URL(lao.to, address).searchParams.get('l'),
    'la',
    'the site for Laos uses Lao unless a language is requested',
  );
});
