// `node run-files.mjs REPORT CONCURRENCY FILE …`: runs test files in the specified order. Node's test command sorts
// them by name, so that slow ones would start last.
import { createWriteStream } from 'node:fs';
import { run } from 'node:test';
import { junit, spec } from 'node:test/reporters';
import { endOverdueFiles } from './overdue-files.mjs';

/** Below the limit of overdue-files.mjs, so that a hanging test is reported by name. */
const TEST_LIMIT_MS = 240_000;

const [report, concurrency, ...files] = process.argv.slice(2);
const events = run({ files, concurrency: Number(concurrency), timeout: TEST_LIMIT_MS });
endOverdueFiles(events, files);
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
events.compose(new spec()).pipe(process.stdout);
events.compose(junit).pipe(createWriteStream(report));
