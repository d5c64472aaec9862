import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECONDS_PER_STEP } from '@krapao/contract/constants';
import sharp from 'sharp';
import type { Still } from './camera.ts';

const FRAMES_PER_SECOND = 10;

/** @throws {Error} ffmpeg is missing */
export function requireFfmpeg(): void {
  if (spawnSync('ffmpeg', ['-version']).status !== 0)
    throw new Error('ffmpeg is missing. Install it (Debian: apt-get install ffmpeg).');
}

/**
 * H.264 for all phones with the index first; equal stills give an equal file. Unchanged areas cost nothing, so key frames are only
 * needed for new screens.
 */
const CODEC_OPTIONS = [
  '-c:v libx264 -preset veryslow -tune animation -crf 31 -g 400 -threads 1',
  '-profile:v high -level 3.1 -refs 5 -pix_fmt yuv420p',
  '-colorspace bt709 -color_primaries bt709 -color_trc bt709',
  '-an -movflags +faststart -map_metadata -1 -fflags +bitexact -flags:v +bitexact',
].flatMap((options) => options.split(' '));
/** Sharp on screens with 3 device pixels per CSS pixel, and small. */
const VIDEO_WIDTH = 624;

/** Writes stills with their durations as a video. @param path of the `.mp4` */
export async function writeVideo(path: string, stills: readonly Still[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'krapao-howto-'));
  try {
    const list = await Promise.all(
      stills.map(async ({ png, seconds }, i) => {
        await writeFile(join(folder, `${i}.png`), png);
        return `file ${i}.png\nduration ${seconds}\n`;
      }),
    );
    // ffmpeg shows the last still only if it is listed twice.
    await writeFile(join(folder, 'list.txt'), `${list.join('')}file ${stills.length - 1}.png\n`);
    const seconds = stills.reduce((total, still) => total + still.seconds, 0);
    const input = ['-f', 'concat', '-i', join(folder, 'list.txt')];
    const filters = [
      `fps=${FRAMES_PER_SECOND}`,
      `tpad=stop_mode=clone:stop_duration=${SECONDS_PER_STEP}`,
      `scale=${VIDEO_WIDTH}:-2:flags=lanczos:out_color_matrix=bt709:out_range=tv`,
    ];
    const output = ['-vf', filters.join(), '-t', String(seconds), ...CODEC_OPTIONS, path];
    const { status, stderr } = spawnSync('ffmpeg', ['-y', '-v', 'error', ...input, ...output], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`ffmpeg failed for ${path}:\n${stderr}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `00:03.000` */
const timeOf = (step: number): string => {
  const seconds = step * SECONDS_PER_STEP;
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}.000`;
};

/** Writes one sentence per step as WebVTT. */
export async function writeCaptions(path: string, sentences: readonly string[]): Promise<void> {
  const cues = sentences.map((text, i) => `\n${timeOf(i)} --> ${timeOf(i + 1)}\n${text}\n`);
  await writeFile(path, `WEBVTT\n${cues.join('')}`);
}

/** Writes the poster, a JPEG of 390 × 844. */
export async function writePoster(path: string, png: Buffer): Promise<void> {
  await sharp(png).resize(390).jpeg({ quality: 52, mozjpeg: true }).toFile(path);
}
