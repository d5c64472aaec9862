import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, ROOT } from '../../install.mjs';
import { repositoryFiles } from '../files.mjs';
import { measures } from './measures.mjs';

const RECORD = join(ROOT, 'docs/house.md');
/** The table of docs/house.md: what is measured, the figure it began with, the recorded one, whether it is kept, how it is counted. */
const ROW = /^\| ([^|]+?) +\| +([\d,]+|-) \| +([\d,]+|-) \| ([^|]*?) +\| (.*?) +\|$/gm;

/** Measures a work tree. @returns {Map<string, number>} figures by what they count */
export function measureTree(tree = ROOT) {
  const files = repositoryFiles(tree);
  return new Map(measures.map(({ id, count }) => [id, count(files, tree)]));
}

/** Figures of docs/house.md by what they count: `{first, recorded}`. */
export function readRecord(text = readFileSync(RECORD, 'utf8')) {
  return new Map(
    [...text.matchAll(ROW)].map(([, id, first, recorded]) => [
      id,
      { first: figure(first), recorded: figure(recorded) },
    ]),
  );
}

/**
 * Compares figures with the record. A figure of a ratchet may fall and never rise, and each measure has its row. Answers
 * sentences.
 */
export function compareWithRecord(figures, record = readRecord()) {
  return measures.flatMap(({ id, limit }) => {
    const { recorded } = record.get(id) ?? {};
    if (recorded === undefined) return [`docs/house.md has no figure for "${id}": npm run house -- --write.`];
    if (limit !== 'ratchet' || figures.get(id) <= recorded) return [];
    return [`${id}: ${figures.get(id)}, and docs/house.md allows ${recorded}.`];
  });
}

/** Writes figures into docs/house.md. That of a ratchet only falls: a worse one stays an error. */
export function writeRecord(figures) {
  const text = readFileSync(RECORD, 'utf8');
  const record = readRecord(text);
  const rows = measures.map(({ id, limit, how }) => {
    const { first, recorded } = record.get(id) ?? {};
    const now = limit === 'ratchet' && recorded !== undefined ? Math.min(recorded, figures.get(id)) : figures.get(id);
    return `| ${id} | ${first ?? '-'} | ${now} | ${limit === 'ratchet' ? 'may not rise' : ''} | ${how} |`;
  });
  const table = /^\| measure [\s\S]*?\n(?!\|)/m;
  const head = '| measure | d81a4c7 | recorded | limit | counted |\n| --- | ---: | ---: | --- | --- |';
  writeFileSync(
    RECORD,
    text.replace(table, () => `${head}\n${rows.join('\n')}\n`),
  );
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/oxfmt'), RECORD], { stdio: 'inherit' });
}

/** Prints figures beside the recorded ones. */
export function printFigures(figures, record = readRecord()) {
  const width = Math.max(...measures.map(({ id }) => id.length));
  for (const { id, limit } of measures) {
    const { first, recorded } = record.get(id) ?? {};
    const kept = limit === 'ratchet' ? 'may not rise' : '';
    const columns = [figures.get(id), recorded ?? '-', first ?? '-'].map((value) => String(value).padStart(8));
    console.log(`    ${id.padEnd(width)} ${columns.join('')}  ${kept}`.trimEnd());
  }
}

const figure = (text) => (text === '-' ? undefined : Number(text.replaceAll(',', '')));
