import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOutside } from '../../server/src/outside-config.ts';
import { projectNode, ROOT } from '../install.mjs';

const PAGE_PATH = 'docs/deploy/outside-file.md';
const WRITE_COMMAND = '`node tools/run.mjs tools/checks/main.mjs --write`';
const PAGE_HEAD = `# The outside file

Every field of \`OUTSIDE_FILE\` (\`DATA_DIR/outside.json\`): addresses, credentials and accounts of all counterparties.
Generated from the schemas in \`server/src\` by ${WRITE_COMMAND}; do not edit. \`krapao outside\` writes a file with every
field. It is JSON, readable by its owner alone, and read at the start: restart every node after a change
([keys.md](keys.md)). An invalid field stops the start with its path. Without an optional
section its methods are not offered. Credentials, which the party issues, have no example. The start refuses a file that
lacks a party with unsettled items; the message says how to settle them. \`krapao doctor\` lists what is enabled without its party.
`;
const CALLBACKS_HEAD = `
## Callbacks

Announce these addresses to each party, with \`publicUrl\` before them. The content of a callback proves nothing: it only
triggers an inquiry at the party.

| party | address | authentic by |
| --- | --- | --- |
`;

/** Returns messages about withoutDescription fields of the outside file, and about differences to its page. */
export function checkOutsidePage(files) {
  const { text, withoutDescription } = outsidePage();
  const found = files.find(({ path }) => path === PAGE_PATH)?.text ?? '';
  return [
    ...withoutDescription.map((path) => `${path} of the outside file has no description: add .meta() to its schema.`),
    ...(withoutLayout(found) === withoutLayout(text) ? [] : [`${PAGE_PATH} is out of date: ${WRITE_COMMAND}.`]),
  ];
}

/** A page without the formatter's line breaks and column padding. */
const withoutLayout = (text) => text.replaceAll(/\s+/g, ' ').replaceAll(/-{3,}/g, '---').trim();

/** Writes docs/deploy/outside-file.md. */
export function writeOutsidePage() {
  writeFileSync(join(ROOT, PAGE_PATH), outsidePage().text);
  spawnSync(projectNode(), [join(ROOT, 'node_modules/.bin/oxfmt'), PAGE_PATH], { cwd: ROOT, stdio: 'inherit' });
}

/** Unformatted text of the page, and the paths of fields without a description. */
function outsidePage() {
  const { properties, required } = describeOutside();
  const fields = Object.entries(properties);
  const isSection = ([, schema]) => schema.type === 'object';
  const sections = fields.filter(isSection);
  const topRows = fieldRows({
    properties: Object.fromEntries(fields.filter((field) => !isSection(field))),
    required,
  });
  const parts = sections.map(([name, schema]) => sectionPart(name, schema, required.includes(name)));
  const callbackRows = sections.flatMap(([name, { callbacks = [] }]) =>
    callbacks.map(({ address, proof }) => row([`\`${name}\``, `\`${address}\``, proof])),
  );
  const text = [PAGE_HEAD, '\n', TABLE_HEAD, ...topRows, CALLBACKS_HEAD, ...callbackRows, ...parts].join('');
  return { text, withoutDescription: fields.flatMap(([name, schema]) => fieldsWithoutDescription(name, schema)) };
}

const TABLE_HEAD = '| field | required | meaning | example |\n| --- | --- | --- | --- |\n';
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |\n`;

function sectionPart(name, schema, isRequired) {
  const head = `\n## ${name}\n\n${schema.description ?? ''} ${isRequired ? 'Required.' : 'Optional.'}\n\n`;
  const { additionalProperties: item } = schema;
  if (!item?.oneOf) return [head, TABLE_HEAD, ...fieldRows(schema)].join('');
  return head + variantTables(item.oneOf);
}

function fieldRows({ properties, required = [] }, prefix = '', exceptNames = []) {
  return Object.entries(properties)
    .filter(([name]) => !exceptNames.includes(name))
    .flatMap(([name, schema]) => {
      const path = `${prefix}${name}`;
      const example = schema.examples?.[0] === undefined ? '' : `\`${JSON.stringify(schema.examples[0])}\``;
      const cells = [`\`${path}\``, required.includes(name) ? 'yes' : 'no', schema.description ?? '', example];
      const inner = schema.items?.properties ? fieldRows(schema.items, `${path}[].`) : [];
      return [row(cells), ...inner];
    });
}

/** Fields of every kind of an entry in one table, the fields of each kind in another. */
function variantTables(variants) {
  const [first] = variants;
  const isCommon = (name) =>
    name !== 'kind' &&
    variants.every(({ properties }) => JSON.stringify(properties[name]) === JSON.stringify(first.properties[name]));
  const commonNames = Object.keys(first.properties).filter(isCommon);
  const common = Object.fromEntries(commonNames.map((name) => [name, first.properties[name]]));
  const kindRows = variants.flatMap(({ properties, required }) => {
    const rows = fieldRows({ properties, required }, '', [...commonNames, 'kind']);
    return rows.map((text) => `| \`${properties.kind.const}\` ${text}`);
  });
  return [
    TABLE_HEAD,
    row(['`kind`', 'yes', 'Protocol of the provider, from the table below', `\`"${first.properties.kind.const}"\``]),
    ...fieldRows({ properties: common, required: first.required }),
    '\nFields of each `kind`:\n\n| kind | field | required | meaning | example |\n| --- | --- | --- | --- | --- |\n',
    ...kindRows,
  ].join('');
}

function fieldsWithoutDescription(path, schema) {
  const inner = [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => [`${path}.${name}`, child]),
    ...Object.entries(schema.items?.properties ?? {}).map(([name, child]) => [`${path}[].${name}`, child]),
    ...(schema.additionalProperties?.oneOf ?? []).flatMap(({ properties }) =>
      Object.entries(properties)
        .filter(([name]) => name !== 'kind')
        .map(([name, child]) => [`${path}.${properties.kind.const}.${name}`, child]),
    ),
  ];
  return [
    ...(schema.description ? [] : [path]),
    ...inner.flatMap(([name, child]) => fieldsWithoutDescription(name, child)),
  ];
}
