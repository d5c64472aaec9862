// Checks what the compiler and the linter can't, and measures the code: `npm run house`. One line per rule, and why it is broken.
//   npm run house -- --write       records figures that have fallen (docs/house.md, house/circumlocutions.json) and
//                                   writes docs/deploy/settings.md
//   npm run house -- --tree DIR    measures another work tree of the repository, and checks nothing
import { checkCommands } from './house/commands.mjs';
import { checkCircumlocutions, recordCircumlocutions } from './house/circumlocutions.mjs';
import { repositoryFiles } from './house/files.mjs';
import { checkGateways } from './house/gateways.mjs';
import { checkGuideCode } from './house/guide-code.mjs';
import { checkGlossary } from './house/glossary.mjs';
import { checkImports } from './house/imports.mjs';
import { checkLinks } from './house/links.mjs';
import { checkPlaces } from './house/places.mjs';
import { compareWithRecord, measureTree, printFigures, writeRecord } from './house/figures/record.mjs';
import { checkSettings, writeSettings } from './house/settings.mjs';
import { checkStates } from './house/states.mjs';
import { checkWords } from './house/words.mjs';

const [option, tree] = process.argv.slice(2);
if (option === '--tree') {
  printFigures(measureTree(tree));
  process.exit();
}

const figures = measureTree();
let files = repositoryFiles();
if (option === '--write') {
  writeRecord(figures);
  recordCircumlocutions(files);
  writeSettings();
  files = repositoryFiles();
}

const rules = {
  'who imports whom': checkImports,
  'things that have one place': checkPlaces,
  'states and their guard': checkStates,
  'words, names and sizes': checkWords,
  'plain technical English': (all) => checkCircumlocutions(all),
  'words of the glossary': checkGlossary,
  'links of the texts': checkLinks,
  'gateways in one folder and one line': checkGateways,
  'code of the guides': checkGuideCode,
  'commands of the README': checkCommands,
  'settings in their table': checkSettings,
  'figures that may not rise': () => compareWithRecord(figures),
};

let failed = 0;
for (const [name, check] of Object.entries(rules)) {
  const broken = check(files);
  console.log(`${broken.length === 0 ? '✔' : '✖'} ${name}`);
  for (const sentence of broken) console.log(`    ${sentence}`);
  if (broken.length > 0) failed += 1;
}
console.log('Figures: now, recorded, at d81a4c7 (docs/house.md)');
printFigures(figures);
process.exitCode = failed === 0 ? 0 : 1;
