import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { poseAt } from '../src/ui/carousel/turn-cards.ts';

const sheet = readFileSync(new URL('../src/styles/carousel.css', import.meta.url), 'utf8');
const KEYFRAME =
  /(from|to|[\d.]+%) \{\s*transform: [^;]*translate3d\(0, 0, (-?\d+)(?:px)?\) rotateY\((-?\d+)deg\);\s*opacity: ([\d.]+);/g;

test('the script gives a card the poses of the keyframes, interpolated linearly', () => {
  const keyframes = [...sheet.matchAll(KEYFRAME)].map(([, name = '', ...values]) => ({
    at: { from: 0, to: 1 }[name] ?? Number.parseFloat(name) / 100,
    pose: values.map(Number),
  }));
  assert.equal(keyframes.length, 5);
  const pose = (at: number): number[] => Object.values(poseAt(at)).map((value) => Number(value.toFixed(6)));
  for (const [index, { at, pose: expected }] of keyframes.entries()) {
    assert.deepEqual(pose(at), expected);
    const next = keyframes[index + 1];
    const halfway = next && expected.map((value, key) => (value + (next.pose[key] ?? 0)) / 2);
    if (next) assert.deepEqual(pose((at + next.at) / 2), halfway);
  }
  assert.deepEqual(pose(-1), pose(0));
  assert.deepEqual(pose(2), pose(1));
});
