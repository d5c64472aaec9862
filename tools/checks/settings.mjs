import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../server/src/platform/settings.ts';
import { projectNode, ROOT } from '../install.mjs';

const PATH = 'docs/deploy/settings.md';
const COMMAND = '`node tools/run.mjs tools/checks/main.mjs --write`';
const HEAD = `# Settings

Every environment variable: its default, what it sets and which program reads it. Generated from
\`server/src/platform/settings.ts\` by ${COMMAND}; do not edit. An invalid value stops the start with a message that names
the variable. An empty value equals none. \`npm start\` passes its environment on to the server and the simulators.

| name | default | unit | what it sets | value | read by |
| --- | --- | --- | --- | --- | --- |
`;

/** Messages about settings that docs/deploy/settings.md describes differently, and that README.md names without a definition. */
export function checkSettings(files) {
  const textOf = (name) => files.find(({ path }) => path === name)?.text ?? '';
  const cells = [...textOf('README.md').matchAll(/^\|( `[A-Z][^|]*)\|/gm)].map(([, cell]) => cell).join('');
  const named = [...cells.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name]) => name);
  return [
    ...named.filter((name) => !Object.hasOwn(settings, name)).map((name) => `README.md: there is no setting ${name}.`),
    ...checkPage(textOf(PATH)),
  ];
}

function checkPage(text) {
  const [found, expected] = [text, settingsText()].map(withoutLayout);
  if (found === expected) return [];
  const rows = (page) => new Set(page.match(/\| `[A-Z]\w+`.*?\|(?= \| `|$)/g));
  const names = [...rows(found).symmetricDifference(rows(expected))].map((row) => /\w+/.exec(row)[0]);
  return [`${PATH} is out of date (${[...new Set(names)].join(', ') || 'its head or order'}): ${COMMAND}.`];
}

/** A page without line breaks and padding of columns, which are the formatter's. */
const withoutLayout = (text) => text.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---').trim();

/** Writes the page. */
export function writeSettings() {
  writeFileSync(join(ROOT, PATH), settingsText());
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/oxfmt'), PATH], { cwd: ROOT, stdio: 'inherit' });
}

/** The page, unformatted. */
export function settingsText() {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const value = setting.must
      .replace(/^be /, '')
      .replace(/^look like ([^,]*)/, 'like `$1`')
      .replace(/https:\S+/, '`$&`');
    const cells = [
      `\`${name}\``,
      defaultOf(setting),
      setting.unit ?? '',
      setting.what,
      value,
      setting.readBy.join(', '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return HEAD + rows.join('');
}

function defaultOf({ schema, defaultText }) {
  const found = schema.safeParse(undefined);
  return defaultText ?? (found.success && found.data !== undefined ? `\`${found.data}\`` : 'none');
}
