import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SECONDS_PER_STEP, tutorials } from '@krapao/contract/constants';
import { languages } from '@krapao/contract/languages';
import en from '@krapao/phrases/en/howto.json' with { type: 'json' };
import la from '@krapao/phrases/la/howto.json' with { type: 'json' };
import th from '@krapao/phrases/th/howto.json' with { type: 'json' };

const TUTORIAL_FOLDER = new URL('../public/howto/', import.meta.url);
const VIDEO_BYTES_MAX = 250_000;
const POSTER_BYTES_MAX = 25_000;
const ALL_BYTES_MAX = 4_000_000;

const textsByLanguage = { th, la, en };
const videos = tutorials.flatMap((name) =>
  languages.map((language) => ({ name, language, file: `${name}.${language}` })),
);
const readTutorialFile = (file: string): Promise<Buffer> => readFile(new URL(file, TUTORIAL_FOLDER));

/** Names of the top-level boxes of an MP4 in order, and the duration in its header in seconds. */
function readMp4(file: Buffer): { boxes: string[]; seconds: number } {
  const boxes: string[] = [];
  for (let boxStart = 0; boxStart < file.length; boxStart += file.readUInt32BE(boxStart))
    boxes.push(file.toString('latin1', boxStart + 4, boxStart + 8));
  const headerStart = file.indexOf('mvhd') + 4;
  return { boxes, seconds: file.readUInt32BE(headerStart + 16) / file.readUInt32BE(headerStart + 12) };
}

const cueTimeOf = (stepIndex: number): string => `00:${String(stepIndex * SECONDS_PER_STEP).padStart(2, '0')}.000`;

for (const { name, language, file } of videos) {
  test(`the video ${file} is small, can start before it is complete, and says what the page says`, async () => {
    const steps = Object.values(textsByLanguage[language].tutorial[name].steps);
    const video = await readTutorialFile(`${file}.mp4`);
    assert.ok(video.length <= VIDEO_BYTES_MAX, `${video.length} bytes`);
    const { boxes, seconds } = readMp4(video);
    assert.ok(boxes.indexOf('moov') > 0 && boxes.indexOf('moov') < boxes.indexOf('mdat'), boxes.join(' '));
    assert.equal(seconds, steps.length * SECONDS_PER_STEP);
    const poster = await readTutorialFile(`${file}.jpg`);
    assert.ok(poster.length <= POSTER_BYTES_MAX, `${poster.length} bytes`);
    const cues = steps.map((step, i) => `\n${cueTimeOf(i)} --> ${cueTimeOf(i + 1)}\n${step}\n`);
    const captions = (await readTutorialFile(`${file}.vtt`)).toString();
    assert.equal(captions, `WEBVTT\n${cues.join('')}`, `other words now: npm run lab -- howto ${name} ${language}`);
  });
}

test('no tutorial video is unused, and all together stay within the size limit', async () => {
  const names = await readdir(TUTORIAL_FOLDER);
  assert.deepEqual(
    names.sort(),
    videos.flatMap(({ file }) => ['jpg', 'mp4', 'vtt'].map((extension) => `${file}.${extension}`)).sort(),
  );
  const sizes = await Promise.all(names.map(async (name) => (await readTutorialFile(name)).length));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= ALL_BYTES_MAX);
});
