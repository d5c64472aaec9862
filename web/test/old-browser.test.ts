import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'acorn';
import { oldBrowserMessage, oldBrowserTest } from '../build/old-browser/old-browser.ts';

test('the unsupported-browser notice and its detection are valid ES3', async () => {
  for (const script of [await oldBrowserTest(), await oldBrowserMessage()]) {
    assert.doesNotThrow(() => parse(script, { ecmaVersion: 3 }), script);
    assert.throws(() => parse(`${script};() => 1`, { ecmaVersion: 3 }));
  }
});

test('the unsupported-browser notice is in Thai, Lao and English', async () => {
  const notice = await oldBrowserMessage();
  for (const lang of ['th', 'lo', 'en']) assert.match(notice, new RegExp(`"lang":"${lang}"`));
});
