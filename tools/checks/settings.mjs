import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../server/src/platform/settings.ts';
import { projectNode, ROOT } from '../install.mjs';

const PATH = 'docs/deploy/settings.md';
const COMMAND = '`node tools/run.mjs tools/checks/main.mjs --write`';
const HEAD = `# Settings

Which environment variables are there, what does each set, and which program reads it? Generated from
\`server/src/platform/settings.ts\` by ${COMMAND}; not to be edited. A wrong value stops the start with a sentence that
names the variable. An empty value is the same as none. \`npm start\` passes its environment on to the server and the
simulators.

`;

/** Messages about settings that docs/deploy/settings.md describes differently, and that README.md names without a definition. */
export function checkSettings(files) {
  const textOf = (wanted) => files.find(({ path }) => path === wanted)?.text ?? '';
  const named = [...textOf('README.md').matchAll(/^\| `([A-Z][A-Z\d_]+)` /gm)].map(([, name]) => name);
  return [
    ...named.filter((name) => !Object.hasOwn(settings, name)).map((name) => `README.md: there is no setting ${name}.`),
    ...checkTable(textOf(PATH)),
  ];
}

function checkTable(text) {
  const [found, expected] = [rowsOf(text), rowsOf(settingsText())];
  if (found.join('\n') === expected.join('\n')) return [];
  const names = (rows) => new Set(rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1]).filter(Boolean));
  const changed = expected.filter((row) => !found.includes(row));
  const wrong = new Set([...names(changed), ...names(found).difference(names(expected))]);
  return [`${PATH} is out of date (${[...wrong].join(', ') || 'its head or order'}): ${COMMAND}.`];
}

/** Writes the table. */
export function writeSettings() {
  writeFileSync(join(ROOT, PATH), settingsText());
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/oxfmt'), PATH], { cwd: ROOT, stdio: 'inherit' });
}

/** The page, unformatted. */
export function settingsText(of = settings) {
  const rows = Object.entries(of).map(([name, setting]) => {
    const value = setting.must
      .replace(/^be /, '')
      .replace(/^look like ([^,]*)|(https:\S+)/g, (_, form, address) =>
        address ? `\`${address}\`` : `like \`${form}\``,
      );
    const cells = [
      `\`${name}\``,
      defaultOf(setting),
      setting.unit ?? '',
      setting.what,
      value,
      setting.readBy.join(', '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const head = '| name | default | unit | what it sets | value | read by |\n| --- | --- | --- | --- | --- | --- |';
  return `${HEAD}${head}\n${rows.join('\n')}\n`;
}

function defaultOf({ schema, defaultText }) {
  if (defaultText !== undefined) return defaultText;
  const found = schema.safeParse(undefined);
  return found.success && found.data !== undefined ? `\`${found.data}\`` : 'none';
}

/** Lines without the formatter's padding of columns. */
const rowsOf = (text) =>
  text.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---').trim());
