// Checks what the compiler and the linter can't: `node tools/house-rules.mjs`. One line per rule, and why it is broken.
import { repositoryFiles } from './house/files.mjs';
import { checkGlossary } from './house/glossary.mjs';
import { checkImports } from './house/imports.mjs';
import { checkLinks } from './house/links.mjs';
import { checkPlaces } from './house/places.mjs';
import { checkStates } from './house/states.mjs';
import { checkWords } from './house/words.mjs';

const files = repositoryFiles();
const rules = {
  'who imports whom': checkImports,
  'things that have one place': checkPlaces,
  'states and their guard': checkStates,
  'words, names and sizes': checkWords,
  'words of the glossary': checkGlossary,
  'links of the texts': checkLinks,
};

let failed = 0;
for (const [name, check] of Object.entries(rules)) {
  const broken = check(files);
  console.log(`${broken.length === 0 ? '✔' : '✖'} ${name}`);
  for (const sentence of broken) console.log(`    ${sentence}`);
  if (broken.length > 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
