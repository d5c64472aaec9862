import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SECONDS_PER_STEP, tutorials } from '@krapao/contract/constants';
import { languages } from '@krapao/contract/languages';
import en from '@krapao/phrases/en/howto.json' with { type: 'json' };
import la from '@krapao/phrases/la/howto.json' with { type: 'json' };
import th from '@krapao/phrases/th/howto.json' with { type: 'json' };

const FOLDER = new URL('../public/howto/', import.meta.url);
const VIDEO_BYTES_MAX = 250_000;
const POSTER_BYTES_MAX = 25_000;
const ALL_BYTES_MAX = 4_000_000;

const words = { th, la, en };
const films = tutorials.flatMap((name) =>
  languages.map((language) => ({ name, language, file: `${name}.${language}` })),
);
const read = (file: string): Promise<Buffer> => readFile(new URL(file, FOLDER));

/** Top-level boxes of an MP4 in order, and the duration in its header in seconds. */
function readMp4(file: Buffer): { boxes: string[]; seconds: number } {
  const boxes: string[] = [];
  for (let at = 0; at < file.length; at += file.readUInt32BE(at)) boxes.push(file.toString('latin1', at + 4, at + 8));
  const header = file.indexOf('mvhd') + 4;
  return { boxes, seconds: file.readUInt32BE(header + 16) / file.readUInt32BE(header + 12) };
}

const timeOf = (step: number): string => `00:${String(step * SECONDS_PER_STEP).padStart(2, '0')}.000`;

for (const { name, language, file } of films) {
  test(`the video ${file} is light, begins before it is all there, and says what the page says`, async () => {
    const steps = Object.values(words[language].tutorial[name].steps);
    const video = await read(`${file}.mp4`);
    assert.ok(video.length <= VIDEO_BYTES_MAX, `${video.length} bytes`);
    const { boxes, seconds } = readMp4(video);
    assert.ok(boxes.indexOf('moov') > 0 && boxes.indexOf('moov') < boxes.indexOf('mdat'), boxes.join(' '));
    assert.equal(seconds, steps.length * SECONDS_PER_STEP);
    const poster = await read(`${file}.jpg`);
    assert.ok(poster.length <= POSTER_BYTES_MAX, `${poster.length} bytes`);
    const cues = steps.map((step, i) => `\n${timeOf(i)} --> ${timeOf(i + 1)}\n${step}\n`);
    const captions = (await read(`${file}.vtt`)).toString();
    assert.equal(captions, `WEBVTT\n${cues.join('')}`, `other words now: npm run lab -- howto ${name} ${language}`);
  });
}

test('no video is left over, and all together they stay light', async () => {
  const names = await readdir(FOLDER);
  assert.deepEqual(
    names.sort(),
    films.flatMap(({ file }) => ['jpg', 'mp4', 'vtt'].map((kind) => `${file}.${kind}`)).sort(),
  );
  const sizes = await Promise.all(names.map(async (name) => (await read(name)).length));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= ALL_BYTES_MAX);
});
