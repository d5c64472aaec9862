import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GAMES } from '../src/games/catalogue.ts';
import { nameOf } from '../src/games/lotto/names.ts';
import { PROVIDERS } from '../src/games/providers.ts';
import { LANGUAGES } from '../src/games/sessions.ts';
import { LEAGUES } from '../src/games/sports/teams.ts';
import { startAllProviders, MEMBER, open } from './games/game-servers.ts';
import { launchPath } from './games/players.ts';
import { ask } from './harness.ts';

type WordTree = { [key: string]: string | WordTree | ((...values: unknown[]) => string) };

const THAI_SCRIPT = /[\u0e01-\u0e3a\u0e40-\u0e5b]/;
const LAO_SCRIPT = /[\u0e81-\u0edf]/;
/** Scripts that texts of a language must not contain. */
const FOREIGN_SCRIPT = {
  th: LAO_SCRIPT,
  la: THAI_SCRIPT,
  en: new RegExp(`${THAI_SCRIPT.source}|${LAO_SCRIPT.source}`),
} as const;

/** Path of a launch link of askmebet with further settings. */
function entry(fields: Record<string, string>): string {
  const launchUrl = new URL(launchPath(MEMBER.username, MEMBER.password), 'http://any');
  launchUrl.searchParams.delete('lang');
  for (const [name, value] of Object.entries(fields)) launchUrl.searchParams.set(name, value);
  return `${launchUrl.pathname}${launchUrl.search}`;
}

const loadWords = async (kind: string): Promise<Record<string, WordTree>> =>
  ((await import(`../public/${kind}/words.js`)) as { WORDS: Record<string, WordTree> }).WORDS;

/** All texts by key, with placeholders filled. */
function flattenWords(words: WordTree, key = ''): [string, string][] {
  return Object.entries(words).flatMap(([name, value]): [string, string][] => {
    const fullKey = `${key}.${name}`;
    if (typeof value === 'string') return [[fullKey, value]];
    return typeof value === 'function' ? [[fullKey, value('7', '8')]] : flattenWords(value, fullKey);
  });
}

test('every game, the phone and the support page have all texts in Thai, Lao and English, in the script of the language', async () => {
  for (const kind of ['slot', 'sports/words', 'lotto', 'phone/words', 'support']) {
    const words = await loadWords(kind);
    const keys = flattenWords(words['th'] ?? {}).map(([key]) => key);
    for (const language of LANGUAGES) {
      const flatWords = flattenWords(words[language] ?? {});
      assert.deepEqual(
        flatWords.map(([key]) => key),
        keys,
        `${kind} ${language}`,
      );
      for (const [key, text] of flatWords) {
        assert.ok(text.trim() !== '' && !FOREIGN_SCRIPT[language].test(text), `${kind} ${language}${key}: ${text}`);
      }
    }
  }
});

test('every slot of every provider has its own pictures, colours and name in each language', async () => {
  const words = await loadWords('slot');
  const skinsUrl = new URL('../public/slot/skins.js', import.meta.url).href;
  const { SYMBOLS } = (await import(skinsUrl)) as { SYMBOLS: Record<string, string[]> };
  const mainSlots = PROVIDERS.map((provider) => GAMES[provider][0]).filter(({ kind }) => kind === 'slot');
  assert.equal(
    new Set(mainSlots.map(({ skin }) => skin)).size,
    mainSlots.length,
    'no two providers share the skin of their main game',
  );
  for (const { skin } of Object.values(GAMES).flatMap((games) => games.filter(({ kind }) => kind === 'slot'))) {
    assert.equal(new Set(SYMBOLS[skin]).size, 7, skin);
    for (const language of LANGUAGES) assert.equal(typeof words[language]?.[skin], 'string', `${skin} ${language}`);
  }
});

test('teams, leagues and draws have names in the script of each language', () => {
  const invented = [
    ...LEAGUES.flatMap((league) => [league, ...league.teams]),
    ...PROVIDERS.map((provider) => nameOf(provider, 'balls')),
  ];
  for (const language of LANGUAGES) {
    for (const name of invented)
      assert.ok(name[language] !== '' && !FOREIGN_SCRIPT[language].test(name[language]), name[language]);
    for (const { teams } of LEAGUES) assert.equal(new Set(teams.map((team) => team[language])).size, teams.length);
  }
});

test('every game opens in the language of its link: the page, its session, its teams and its name', async (t) => {
  const address = await startAllProviders(t);
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
      const pageState = await ask<{ language: string; matches?: { league: string; home: { name: string } }[] }>(
        address,
        'GET',
        `/games/askmebet/${path}`,
        undefined,
        { authorization },
      );
      assert.equal(pageState.body.language, language);
      for (const { league, home } of pageState.body.matches ?? [])
        assert.doesNotMatch(league + home.name, FOREIGN_SCRIPT[language]);
    }
  }
  const oddLanguageEntry = await open(address, entry({ lang: 'constructor' }));
  assert.equal(
    new URL(oddLanguageEntry.to, address).searchParams.get('l'),
    'th',
    'an unknown language falls back to Thai',
  );
  const laoSiteEntry = await open(address, entry({}).replace('/askmebet/', '/askmebet/site/la/'));
  assert.equal(
    new URL(laoSiteEntry.to, address).searchParams.get('l'),
    'la',
    'the site for Laos uses Lao unless a language is requested',
  );
});
