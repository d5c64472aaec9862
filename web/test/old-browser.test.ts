import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'acorn';
import { oldBrowserNotice, oldBrowserTest } from '../build/old-browser/old-browser.ts';

test('the notice for browsers that are too old, and the test for them, are of the JavaScript of 1999', async () => {
  for (const code of [await oldBrowserTest(), await oldBrowserNotice()]) {
    assert.doesNotThrow(() => parse(code, { ecmaVersion: 3 }), code);
    assert.throws(() => parse(`${code};() => 1`, { ecmaVersion: 3 }));
  }
});

test('the notice speaks Thai, Lao and English', async () => {
  const notice = await oldBrowserNotice();
  for (const lang of ['th', 'lo', 'en']) assert.match(notice, new RegExp(`"lang":"${lang}"`));
});
