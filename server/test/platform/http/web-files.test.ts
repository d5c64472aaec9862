import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { serveWebApp } from '../../../src/platform/http/web-app/web-app.ts';

const VIDEO = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));

describe('files of the app', () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-files-'));
  let app: FastifyInstance;
  before(async () => {
    writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Krapao</title>');
    writeFileSync(join(directory, 'film.mp4'), VIDEO);
    writeFileSync(join(directory, 'film.vtt'), 'WEBVTT\n');
    app = fastify();
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

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  test('a part of a video is answered as that part, uncompressed', async () => {
    const reply = await get('/film.mp4', { range: 'bytes=200-499', 'accept-encoding': 'br, gzip' });
    assert.equal(reply.statusCode, 206);
    assert.equal(reply.headers['content-range'], `bytes 200-499/${VIDEO.length}`);
    assert.equal(reply.headers['content-type'], 'video/mp4');
    assert.equal(reply.headers['content-encoding'], undefined);
    assert.deepEqual(reply.rawPayload, VIDEO.subarray(200, 500));
  });

  test('a whole video says that parts can be had; a part beyond its end can’t', async () => {
    const whole = await get('/film.mp4');
    assert.equal(whole.statusCode, 200);
    assert.equal(whole.headers['accept-ranges'], 'bytes');
    assert.deepEqual(whole.rawPayload, VIDEO);
    const beyond = await get('/film.mp4', { range: 'bytes=5000-6000' });
    assert.equal(beyond.statusCode, 416);
    assert.equal(beyond.headers['content-range'], `bytes */${VIDEO.length}`);
  });

  test('captions are text of their own kind', async () => {
    assert.match(String((await get('/film.vtt')).headers['content-type']), /^text\/vtt/);
  });
});
