import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameLinks, ownPlatform } from '../src/features/game/app-links.ts';

const NONE = { web: null, android: null, ios: null };
const kinds = (...args: Parameters<typeof gameLinks>) => gameLinks(...args).map(({ kind }) => kind);

test('a game’s links come in one order, on a phone with its own first; what a game hasn’t is left out', () => {
  const all = { web: 'https://site.example/', android: 'https://store.example/a', ios: 'https://store.example/i' };
  assert.deepEqual(kinds(all, undefined), ['web', 'android', 'ios']);
  assert.deepEqual(kinds(all, 'ios'), ['ios', 'web', 'android']);
  assert.deepEqual(kinds(all, 'android'), ['android', 'web', 'ios']);
  assert.deepEqual(kinds({ ...all, android: null }, 'android'), ['web', 'ios']);
  assert.deepEqual(kinds(NONE, 'ios'), []);
});

test('a link is a page or an app’s own scheme, never something that runs in the page or reads the machine', () => {
  const link = (web: string) => gameLinks({ ...NONE, web }, undefined)[0];
  assert.equal(link('https://site.example/')?.isPage, true);
  assert.equal(link('HTTP://site.example/')?.isPage, true);
  for (const app of ['joker://open?x=1', 'intent://scan/#Intent;scheme=zxing;end', 'itms-apps://store/id1'])
    assert.equal(link(app)?.isPage, false, app);
  const wrong = [
    'javascript:alert(1)',
    'JavaScript://x%0aalert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript://x%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript://x',
    'blob:https://site.example/1',
    'file:///etc/passwd',
    'filesystem:https://site.example/x',
    'content://media/1',
    '//site.example/',
    '/user/home',
    'site.example',
    'https://',
    '',
  ];
  for (const address of wrong) assert.equal(link(address), undefined, address);
});

test('the kind of phone is known by what its browser says; an iPad that says it is a Mac by its fingers', () => {
  const of = (userAgent: string, maxTouchPoints = 0) => ownPlatform({ userAgent, maxTouchPoints });
  assert.equal(of('Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36'), 'android');
  assert.equal(of('Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)', 5), 'ios');
  assert.equal(of('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5), 'ios');
  assert.equal(of('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), undefined);
  assert.equal(of('Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 10), undefined);
});
