// Checks that no standard tool offers; prints a message for each violation. `--write` writes docs/deploy/settings.md and
// docs/deploy/outside-file.md.
import { checkCommentNames } from './comment-names.mjs';
import { repositoryFiles } from './files.mjs';
import { checkGateways } from './gateways.mjs';
import { checkGlossary } from './glossary.mjs';
import { checkGuideChanges, checkGuideCode } from './guide-code.mjs';
import { checkLinks } from './links.mjs';
import { checkLogEntries } from './log-entries.mjs';
import { checkOutsidePage, writeOutsidePage } from './outside-page.mjs';
import { checkRecipes } from './recipes.mjs';
import { checkSettings, writeSettings } from './settings.mjs';
import { checkSql } from './sql.mjs';
import { checkStates } from './states.mjs';
import { checkTestTitles } from './titles.mjs';
import { checkVocabulary } from './vocabulary.mjs';

if (process.argv[2] === '--write') {
  writeSettings();
  writeOutsidePage();
}
const files = repositoryFiles();
const checks = {
  'terms of the glossary': checkGlossary,
  'states and their guard': checkStates,
  'settings and their page': checkSettings,
  'outside file and its page': checkOutsidePage,
  'warnings and errors of the log and their page': checkLogEntries,
  'links of the documents': checkLinks,
  'code in the guides': checkGuideCode,
  'changes in the guides': checkGuideChanges,
  'recipes without SQL that changes data': checkRecipes,
  'gateways in one folder and one line': checkGateways,
  'SQL in queries, as prepared statements': checkSql,
  'names in comments': checkCommentNames,
  'titles of tests': checkTestTitles,
  'vocabulary of the documents and reserved code': checkVocabulary,
};
for (const [name, check] of Object.entries(checks)) {
  const messages = check(files);
  console.log(`${messages.length === 0 ? '✔' : '✖'} ${name}`);
  for (const message of messages) console.log(`    ${message}`);
  if (messages.length > 0) process.exitCode = 1;
}
