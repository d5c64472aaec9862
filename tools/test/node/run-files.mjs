// `node run-files.mjs REPORT AT_ONCE FILE …`: runs test files of ours in the order given, so many at once. The test
// command of Node itself would sort them by name, and the longest might start last.
import { createWriteStream } from 'node:fs';
import { run } from 'node:test';
import { junit, spec } from 'node:test/reporters';

const FILE_PATIENCE_MS = 300_000;

const [report, atOnce, ...files] = process.argv.slice(2);
const events = run({ files, concurrency: Number(atOnce), timeout: FILE_PATIENCE_MS });
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
events.compose(new spec()).pipe(process.stdout);
events.compose(junit).pipe(createWriteStream(report));
