import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { groups } from '../build/chunk-groups.ts';

test('every folder and file of a chunk group exists', () => {
  const paths = groups.flatMap(({ paths: groupPaths, exceptPaths = [] }) => [...groupPaths, ...exceptPaths]);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(import.meta.dirname, '../src', path))),
    [],
  );
});
