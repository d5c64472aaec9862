import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../server/src/platform/settings.ts';
import { projectNode, ROOT } from '../install.mjs';

const SETTINGS_PATH = 'docs/deploy/settings.md';
const WRITE_COMMAND = '`node tools/run.mjs tools/checks/main.mjs --write`';
const DOCUMENT_HEAD = `# Settings

Every environment variable: its default, what it sets and which program reads it. Generated from
\`server/src/platform/settings.ts\` by ${WRITE_COMMAND}; do not edit. An invalid value stops the start with a message that names
the variable. An empty value equals none. \`npm start\` passes its environment on to the server and the simulators. The fields of
\`OUTSIDE_FILE\` are in [outside-file.md](outside-file.md).

| name | default | unit | what it sets | value | read by |
| --- | --- | --- | --- | --- | --- |
`;

/** Returns messages about differences to docs/deploy/settings.md, and about undefined settings in README.md. */
export function checkSettings(files) {
  const textOf = (name) => files.find(({ path }) => path === name)?.text ?? '';
  const cells = [...textOf('README.md').matchAll(/^\|( `[A-Z][^|]*)\|/gm)].map(([, cell]) => cell).join('');
  const namedSettings = [...cells.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name]) => name);
  return [
    ...namedSettings
      .filter((name) => !Object.hasOwn(settings, name))
      .map((name) => `README.md: there is no setting ${name}.`),
    ...checkPage(textOf(SETTINGS_PATH)),
  ];
}

function checkPage(text) {
  const [foundText, expectedText] = [text, settingsText()].map(withoutLayout);
  if (foundText === expectedText) return [];
  const rows = (page) => new Set(page.match(/\| `[A-Z]\w+`.*?\|(?= \| `|$)/g));
  const names = [...rows(foundText).symmetricDifference(rows(expectedText))].map((row) => /\w+/.exec(row)[0]);
  return [
    `${SETTINGS_PATH} is out of date (${[...new Set(names)].join(', ') || 'its head or order'}): ${WRITE_COMMAND}.`,
  ];
}

/** A page without the formatter's line breaks and column padding. */
const withoutLayout = (text) => text.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---').trim();

/** Writes docs/deploy/settings.md. */
export function writeSettings() {
  writeFileSync(join(ROOT, SETTINGS_PATH), settingsText());
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/oxfmt'), SETTINGS_PATH], { cwd: ROOT, stdio: 'inherit' });
}

/** Unformatted text of docs/deploy/settings.md. */
export function settingsText() {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const value = setting.must
      .replace(/^be /, '')
      .replace(/^look like ([^,]*)/, 'like `$1`')
      .replace(/https:\S+/, '`$&`');
    const { unit = '', what, readBy } = setting;
    const cells = [`\`${name}\``, defaultOf(setting), unit, what, value, readBy.join(', ')];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return DOCUMENT_HEAD + rows.join('');
}

function defaultOf({ schema, defaultText }) {
  const result = schema.safeParse(undefined);
  return defaultText ?? (result.success && result.data !== undefined ? `\`${result.data}\`` : 'none');
}
