import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { poseAt } from '../src/ui/carousel/turn-cards.ts';

const carouselCss = readFileSync(new URL('../src/styles/carousel.css', import.meta.url), 'utf8');
const KEYFRAME_PATTERN =
  /(from|to|[\d.]+%) \{\s*transform: [^;]*translate3d\(0, 0, (-?\d+)(?:px)?\) rotateY\((-?\d+)deg\);\s*opacity: ([\d.]+);/g;

test('the carousel script gives cards the poses of the CSS keyframes, interpolated linearly', () => {
  const keyframes = [...carouselCss.matchAll(KEYFRAME_PATTERN)].map(([, name = '', ...values]) => ({
    at: { from: 0, to: 1 }[name] ?? Number.parseFloat(name) / 100,
    pose: values.map(Number),
  }));
  assert.equal(keyframes.length, 5);
  const roundedPoseAt = (progress: number): number[] =>
    Object.values(poseAt(progress)).map((value) => Number(value.toFixed(6)));
  for (const [index, { at, pose: expected }] of keyframes.entries()) {
    assert.deepEqual(roundedPoseAt(at), expected);
    const nextKeyframe = keyframes[index + 1];
    const expectedHalfway =
      nextKeyframe && expected.map((value, index) => (value + (nextKeyframe.pose[index] ?? 0)) / 2);
    if (nextKeyframe) assert.deepEqual(roundedPoseAt((at + nextKeyframe.at) / 2), expectedHalfway);
  }
  assert.deepEqual(roundedPoseAt(-1), roundedPoseAt(0));
  assert.deepEqual(roundedPoseAt(2), roundedPoseAt(1));
});
