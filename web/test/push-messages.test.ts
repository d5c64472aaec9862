import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberPathOf, readPushMessage } from '../src/worker/push-messages.ts';

const ORIGIN = 'https://krapao.example';

const declared = (changes: object = {}, magic: unknown = 8030): string =>
  JSON.stringify({
    web_push: magic,
    notification: {
      title: 'Money in',
      body: 'It is in your wallet',
      lang: 'en',
      dir: 'ltr',
      tag: 'money-in:line-7',
      navigate: `${ORIGIN}/user/home#money=line-7`,
      silent: false,
      ...changes,
    },
  });

test('a declarative push message becomes a notification with its text, language, tag and path [R-WALLET-07]', () => {
  const { title, options, path } = readPushMessage(declared(), ORIGIN, 'th');
  assert.equal(title, 'Money in');
  const { body, lang, dir, tag, silent, data } = options;
  assert.deepEqual(
    { body, lang, dir, tag, silent, data },
    {
      body: 'It is in your wallet',
      lang: 'en',
      dir: 'ltr',
      tag: 'money-in:line-7',
      silent: undefined,
      data: { path: '/user/home#money=line-7' },
    },
  );
  assert.equal(path, '/user/home#money=line-7');
  assert.equal(readPushMessage(declared({ silent: true }), ORIGIN, 'th').options.silent, true);
});

test('a malformed push message shows a neutral notification in the language of the subscription [R-WALLET-07]', () => {
  const malformed = [
    '',
    'null',
    '[]',
    '7',
    '{"web_push":8030}',
    '{"web_push":8030,"notification":null}',
    '{"web_push":8030,"notification":"text"}',
    declared({}, 8031),
    declared({ title: '' }),
    declared({ title: '  ' }),
    declared({ title: 7 }),
    declared().slice(0, -1),
  ];
  for (const payload of malformed) {
    const { title, options } = readPushMessage(payload, ORIGIN, 'en');
    assert.equal(title, 'Krapao', payload);
    assert.equal(options.body, 'You have a new notification', payload);
    // Each may be another message, whose text is unknown.
    assert.deepEqual([options.tag, options.renotify], ['krapao', true], payload);
  }
  assert.match(readPushMessage('', ORIGIN, 'la').options.body ?? '', /[\u0e81-\u0edf]/);
  for (const language of ['th', undefined, 'xx'])
    assert.match(readPushMessage('', ORIGIN, language).options.body ?? '', /[\u0e01-\u0e5b]/);
});

test('a replaced notification alerts again if its message requests it, and never without a tag or if it is silent', () => {
  const renotifyOf = (changes: object) => readPushMessage(declared(changes), ORIGIN, 'th').options.renotify;
  assert.equal(renotifyOf({ tag: 'support', renotify: true }), true);
  for (const changes of [{}, { renotify: 'yes' }, { renotify: true, tag: '' }, { renotify: true, silent: true }])
    assert.equal(renotifyOf(changes), undefined, JSON.stringify(changes));
});

test('a malformed field of a push message is left out, and long texts are cut [R-WALLET-07]', () => {
  const { options } = readPushMessage(
    declared({ body: {}, lang: 'en"><', dir: 'up', tag: [], silent: 'yes', navigate: 7 }),
    ORIGIN,
    'th',
  );
  assert.deepEqual(Object.keys(options).sort(), ['data', 'icon']);
  assert.deepEqual(options.data, { path: '/user/home' });
  assert.equal(readPushMessage(declared({ title: 'x'.repeat(10_000) }), ORIGIN, 'th').title.length, 300);
});

test('a notification opens only member pages of its own origin [R-WALLET-07]', () => {
  for (const [address, path] of [
    ['/user/statement#slips', '/user/statement#slips'],
    [`${ORIGIN}/user/profile?a=1`, '/user/profile?a=1'],
    ['/user', '/user'],
    ['https://elsewhere.example/user/home', '/user/home'],
    ['//elsewhere.example/user/profile', '/user/home'],
    ['http://krapao.example/user/profile', '/user/home'],
    ['https://krapao.example@elsewhere.example/user/profile', '/user/home'],
    ['javascript:alert(1)', '/user/home'],
    ['data:text/html,x', '/user/home'],
    ['/login', '/user/home'],
    ['/userland', '/user/home'],
    ['/user/../login', '/user/home'],
    ['\\\\elsewhere.example\\user', '/user/home'],
    ['', '/user/home'],
    [null, '/user/home'],
    [{ toString: () => '/user/profile' }, '/user/home'],
  ] as const)
    assert.equal(memberPathOf(address, ORIGIN), path, String(address));
  fc.assert(
    fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webPath()), (address) => {
      const url = new URL(memberPathOf(address, ORIGIN), ORIGIN);
      return url.origin === ORIGIN && /^\/user(\/|$)/.test(url.pathname);
    }),
  );
});
