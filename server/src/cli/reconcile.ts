import { toDecimal } from '@krapao/contract/money';
import { type Comparison, reconcile, unexplained } from '../modules/reconcile/index.ts';
import { readOutside } from '../outside-config.ts';
import { systemClock } from '../platform/time.ts';
import { metricsFileOption, writeMetricsFile, runCliCommand } from './run-command.ts';
import { statementSource } from '../adapters/statement/index.ts';

const WIDTHS = [24, 8, 18, 18, 16];

await runCliCommand(async (database, config) => {
  const metricsFile = metricsFileOption(process.argv.slice(2));
  const source = statementSource(readOutside(config.outsideFile), systemClock, config.simulators);
  const comparisons = await reconcile(database, source);
  print(['party', 'unit', 'our books', 'they say', 'difference'], 'explained by');
  for (const comparison of comparisons) show(comparison);
  const wrong = comparisons.filter((one) => unexplained(one) !== 0n).length;
  writeMetricsFile(metricsFile, 'reconcile', 'unexplained', wrong, systemClock.now());
  const skipped = comparisons.filter(({ theirs }) => theirs === undefined).length;
  process.stdout.write(`${comparisons.length} compared, ${skipped} without a statement, ${wrong} unexplained\n`);
  return wrong === 0 ? 0 : 1;
});

function show(comparison: Comparison): void {
  const { party, unit, ours, theirs, explanations } = comparison;
  const rest = unexplained(comparison);
  const because = explanations.map(({ what, amount, upTo }) => `${what} ${upTo ? 'up to ' : ''}${toDecimal(amount)}`);
  if (theirs === undefined) because.push('no statement is read');
  if (rest !== 0n) because.push(`UNEXPLAINED ${toDecimal(rest)}`);
  const figures = [toDecimal(ours), theirs === undefined ? '-' : toDecimal(theirs)];
  print([party, unit, ...figures, theirs === undefined ? '-' : toDecimal(theirs - ours)], because.join(', '));
}

function print(cells: readonly string[], last: string): void {
  const padded = cells.map((cell, index) =>
    index < 2 ? cell.padEnd(WIDTHS[index] ?? 0) : cell.padStart(WIDTHS[index] ?? 0),
  );
  process.stdout.write(`${padded.join('  ')}  ${last}\n`);
}
