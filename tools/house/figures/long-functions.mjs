import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectNode, ROOT } from '../../install.mjs';

const rule = (max) => ({ 'max-lines-per-function': ['error', { max, skipBlankLines: true, skipComments: true }] });
const TESTS = ['**/test/**', '**/e2e/**', '**/*.test.ts', '**/*.test.tsx'];

/** Lines that a function may have: of a program, of one with JSX, of a test. */
const LINES_MAX = { program: 70, jsx: 90, test: 120 };
const LIMITS = {
  plugins: [],
  categories: { correctness: 'off' },
  ignorePatterns: ['**/dist/**', 'reports/**', 'data/**'],
  rules: rule(LINES_MAX.program),
  overrides: [
    { files: ['**/*.tsx'], rules: rule(LINES_MAX.jsx) },
    { files: TESTS, rules: rule(LINES_MAX.test) },
  ],
};

/** Functions of a tree that are longer than 70 lines (with JSX 90, in tests 120), blank lines and comments not counted. */
export function longFunctions(tree = ROOT) {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-lint-'));
  try {
    const settings = join(folder, 'limits.json');
    writeFileSync(settings, JSON.stringify(LIMITS));
    const words = [join(ROOT, 'node_modules/.bin/oxlint'), '--config', settings, '--format', 'json'];
    const { stdout } = spawnSync(projectNode(), words, { cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 26 });
    return JSON.parse(stdout).diagnostics.map(({ filename, message }) => `${filename}: ${message}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
