import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { serveWebApp } from '../../../src/platform/http/web-app/web-app.ts';

const VIDEO_BYTES = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));

describe('files of the app', () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-files-'));
  let app: FastifyInstance;
  before(async () => {
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Krapao</title>');
    mkdirSync(join(directory, 'lao'));
    for (const name of [
      'login.th',
      'login.la',
      'contact.th',
      'not-found.th',
      'user.home.th',
      'user.home.la',
      'lao/login.th',
    ])
      writeFileSync(join(directory, `${name}.html`), `<script>first()</script><title>${name}</title>`);
    writeFileSync(join(directory, 'film.mp4'), VIDEO_BYTES);
    writeFileSync(join(directory, 'film.vtt'), 'WEBVTT\n');
    writeFileSync(join(directory, '.film.mp4'), VIDEO_BYTES);
    mkdirSync(join(directory, '.hidden'));
    writeFileSync(join(directory, '.hidden', 'film.mp4'), VIDEO_BYTES);
    writeFileSync(join(directory, 'film.vtt.br'), 'compressed');
    app = fastify();
    app.decorate('addressRewriterFor', () => (address: string) => address);
    app.decorate('isTrustedProxy', () => false);
    await serveWebApp(app, {
      directory,
      pagesDirectory: directory,
      variant: 'th',
      formTargets: [],
      socketTargets: [],
    });
  });
  after(async () => {
    await app.close();
    rmSync(directory, { recursive: true });
  });

  const getFile = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  test('a range request for a video is replied to with that range, uncompressed', async () => {
    const reply = await getFile('/film.mp4', { range: 'bytes=200-499', 'accept-encoding': 'br, gzip' });
    assert.equal(reply.statusCode, 206);
    assert.equal(reply.headers['content-range'], `bytes 200-499/${VIDEO_BYTES.length}`);
    assert.equal(reply.headers['content-type'], 'video/mp4');
    assert.equal(reply.headers['content-encoding'], undefined);
    assert.deepEqual(reply.rawPayload, VIDEO_BYTES.subarray(200, 500));
  });

  test('a reply with a whole video offers ranges; a range beyond its end is refused', async () => {
    const wholeReply = await getFile('/film.mp4');
    assert.equal(wholeReply.statusCode, 200);
    assert.equal(wholeReply.headers['accept-ranges'], 'bytes');
    assert.deepEqual(wholeReply.rawPayload, VIDEO_BYTES);
    const beyondReply = await getFile('/film.mp4', { range: 'bytes=5000-6000' });
    assert.equal(beyondReply.statusCode, 416);
    assert.equal(beyondReply.headers['content-range'], `bytes */${VIDEO_BYTES.length}`);
  });

  test('an address is replied to with the page for its cookies: language, and whether there is a session', async () => {
    const member = 'member=1; language=TH';
    for (const [path, cookie, title] of [
      ['/user', member, 'user.home.th'],
      ['/user/home/?a=1', member, 'user.home.th'],
      ['/user/home', 'member=1; language=LA', 'user.home.la'],
      ['/user/home', 'language=LA; member=', 'login.la'],
      ['/user/home', 'notmember=1', 'login.th'],
      ['/login', member, 'login.th'],
      ['/contact', '', 'contact.th'],
      ['/user/nowhere', member, 'not-found.th'],
      ['/user/nowhere', '', 'not-found.th'],
      ['/lao/login', '', 'not-found.th'],
      // A page without a prebuilt version in this language.
      ['/contact', 'language=LA', 'Krapao'],
    ] as const) {
      const reply = await getFile(path, { cookie });
      assert.equal(reply.statusCode, 200, path);
      assert.match(reply.body, new RegExp(`<title>${title}<`), `${path} with ${cookie}`);
      assert.equal(
        reply.headers['vary'],
        'cookie, host, x-forwarded-host, x-forwarded-proto, accept-encoding',
        'all that page and policy depend on',
      );
      assert.equal(reply.headers['cache-control'], 'no-cache');
      const contentPolicy = String(reply.headers['content-security-policy']);
      assert.ok(!contentPolicy.includes('unsafe'), contentPolicy);
      if (title !== 'Krapao') assert.match(contentPolicy, /script-src 'self' 'sha256-[\w+/]{43}='/);
    }
  });

  test('a file is served only under its exact name', async () => {
    for (const url of ['/film.mp4', '/%66ilm.mp4', '/film.mp4?v=1'])
      assert.deepEqual((await getFile(url)).rawPayload, VIDEO_BYTES, url);
    for (const url of [
      '/FILM.mp4',
      '//film.mp4',
      '/lao//film.mp4',
      '//contact',
      '/%2ffilm.mp4',
      '/lao/%2e%2e%2ffilm.mp4',
      '/film.mp4%00',
      '/film.vtt.br',
      '/contact.th.html',
      '/.hidden/film.mp4',
      '/.film.mp4',
    ])
      assert.equal((await getFile(url)).statusCode, 404, url);
  });

  test('a file that the caller has cached is not sent again', async () => {
    const { etag } = (await getFile('/film.mp4')).headers;
    const reply = await getFile('/film.mp4', { 'if-none-match': String(etag) });
    assert.deepEqual([reply.statusCode, reply.body], [304, '']);
  });

  test('captions are served with their own content type', async () => {
    assert.match(String((await getFile('/film.vtt')).headers['content-type']), /^text\/vtt/);
  });
});
