import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gameLinks, ownPlatform } from '../src/features/game/app-links.ts';

const NO_LINKS = { web: null, android: null, ios: null };
const linkKinds = (...args: Parameters<typeof gameLinks>) => gameLinks(...args).map(({ kind }) => kind);

test("a game's links have a fixed order, the phone's platform first, without missing ones", () => {
  const allLinks = { web: 'https://site.example/', android: 'https://store.example/a', ios: 'https://store.example/i' };
  assert.deepEqual(linkKinds(allLinks, undefined), ['web', 'android', 'ios']);
  assert.deepEqual(linkKinds(allLinks, 'ios'), ['ios', 'web', 'android']);
  assert.deepEqual(linkKinds(allLinks, 'android'), ['android', 'web', 'ios']);
  assert.deepEqual(linkKinds({ ...allLinks, android: null }, 'android'), ['web', 'ios']);
  assert.deepEqual(linkKinds(NO_LINKS, 'ios'), []);
});

test("a link of a game is a web page or an app's own scheme, never script or a local file", () => {
  const webLinkOf = (web: string) => gameLinks({ ...NO_LINKS, web }, undefined)[0];
  assert.equal(webLinkOf('https://site.example/')?.isPage, true);
  assert.equal(webLinkOf('HTTP://site.example/')?.isPage, true);
  for (const appUrl of ['joker://open?x=1', 'intent://scan/#Intent;scheme=zxing;end', 'itms-apps://store/id1'])
    assert.equal(webLinkOf(appUrl)?.isPage, false, appUrl);
  const invalidUrls = [
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
  for (const invalidUrl of invalidUrls) assert.equal(webLinkOf(invalidUrl), undefined, invalidUrl);
});

test("the phone's platform is read from the user agent, and an iPad posing as a Mac is recognised by touch points", () => {
  const platformOf = (userAgent: string, maxTouchPoints = 0) => ownPlatform({ userAgent, maxTouchPoints });
  assert.equal(platformOf('Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36'), 'android');
  assert.equal(platformOf('Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)', 5), 'ios');
  assert.equal(platformOf('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 5), 'ios');
  assert.equal(platformOf('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), undefined);
  assert.equal(platformOf('Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 10), undefined);
});
