import { parseArgs } from 'node:util';
import { renewCheck, readSecretBox } from '../platform/crypto/encryption.ts';
import { countSealedWithOtherKeys, reencryptColumn } from '../platform/crypto/reencrypt.ts';
import { UserError } from '../platform/errors.ts';
import { runCliCommand } from './run-command.ts';
import { sealedColumns } from '../inventory.ts';

const BATCH_ROWS = 100;

await runCliCommand(async (database, config) => {
  const batch = batchOf(process.argv.slice(2));
  const secretBox = readSecretBox(config.secretsFile);
  for (const column of sealedColumns) {
    const onBatch = (done: number): void => say(`${column.table}.${column.column}: ${done} re-encrypted`);
    await reencryptColumn(database, secretBox, column, { batch, onBatch });
  }
  // Counted afterwards: meanwhile servers have written, also one that still seals with another key.
  let left = 0;
  for (const column of sealedColumns) left += await countSealedWithOtherKeys(database, secretBox, column);
  if (left > 0) {
    say(
      `${left} are left: commands worked on them, or a node still encrypts with another key. Run it again in ten minutes. Keep every key until then.`,
    );
    return 1;
  }
  // Last: from here on a node that knows none but another key refuses to start.
  await renewCheck(database, secretBox);
  say('Everything is encrypted with the key of the secrets file. The other keys are needed by backups made before.');
  return 0;
});

function batchOf(args: string[]): number {
  const usage = new UserError('--batch is a number of rows from 1 to 10000.');
  try {
    const { batch } = parseArgs({ args, options: { batch: { type: 'string' } } }).values;
    const rows = batch === undefined ? BATCH_ROWS : Number(batch);
    if (!Number.isInteger(rows) || rows < 1 || rows > 10_000) throw usage;
    return rows;
  } catch {
    throw usage;
  }
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
