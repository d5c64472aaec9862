import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECONDS_PER_STEP } from '@krapao/contract/constants';
import sharp from 'sharp';
import type { Still } from './camera.ts';

const FRAMES_PER_SECOND = 10;

/** Says what is missing before anything is filmed. */
export function needFfmpeg(): void {
  if (spawnSync('ffmpeg', ['-version']).status !== 0)
    throw new Error('The videos are made by ffmpeg, which is not here. Install it (Debian: apt-get install ffmpeg).');
}

/**
 * H.264 as every phone plays it, its index before its pictures; the same stills give the same file. What doesn't
 * change costs nothing, so there are no more key frames than there are new screens.
 */
const CODEC = [
  '-c:v libx264 -preset veryslow -tune animation -crf 31 -g 400 -threads 1',
  '-profile:v high -level 3.1 -refs 5 -pix_fmt yuv420p',
  '-colorspace bt709 -color_primaries bt709 -color_trc bt709',
  '-an -movflags +faststart -map_metadata -1 -fflags +bitexact -flags:v +bitexact',
].flatMap((options) => options.split(' '));
/** Clear on screens of three pixels to one, and still light. */
const WIDTH = 624;

/** Writes stills, each for its time, as a video. @param path where to, `.mp4` */
export async function writeVideo(path: string, stills: readonly Still[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'krapao-howto-'));
  try {
    const list = await Promise.all(
      stills.map(async ({ png, seconds }, i) => {
        await writeFile(join(folder, `${i}.png`), png);
        return `file ${i}.png\nduration ${seconds}\n`;
      }),
    );
    // A still comes out of the list only when there is another after it.
    await writeFile(join(folder, 'list.txt'), `${list.join('')}file ${stills.length - 1}.png\n`);
    const seconds = stills.reduce((sum, still) => sum + still.seconds, 0);
    const input = ['-f', 'concat', '-i', join(folder, 'list.txt')];
    const filters = [
      `fps=${FRAMES_PER_SECOND}`,
      `tpad=stop_mode=clone:stop_duration=${SECONDS_PER_STEP}`,
      `scale=${WIDTH}:-2:flags=lanczos:out_color_matrix=bt709:out_range=tv`,
    ];
    const output = ['-vf', filters.join(), '-t', String(seconds), ...CODEC, path];
    const { status, stderr } = spawnSync('ffmpeg', ['-y', '-v', 'error', ...input, ...output], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ffmpeg could not make ${path}:\n${stderr}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `00:03.000` */
const timeOf = (step: number): string => {
  const seconds = step * SECONDS_PER_STEP;
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}.000`;
};

/** Writes a sentence per step as WebVTT. */
export async function writeCaptions(path: string, sentences: readonly string[]): Promise<void> {
  const cues = sentences.map((words, i) => `\n${timeOf(i)} --> ${timeOf(i + 1)}\n${words}\n`);
  await writeFile(path, `WEBVTT\n${cues.join('')}`);
}

/** Writes the poster, a JPEG of 390 × 844. */
export async function writePoster(path: string, png: Buffer): Promise<void> {
  await sharp(png).resize(390).jpeg({ quality: 54, mozjpeg: true }).toFile(path);
}
