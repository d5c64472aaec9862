// `npm run build`: everything of an installation that is written to the folder of the program, so that the server itself
// needs no right to write there: packages (by tools/run.mjs), the web app, the links of the built-in PostgreSQL.
import { locateBinaries } from '../../server/src/platform/database/embedded-postgres/data-directory.ts';
import { UserError } from '../../server/src/platform/errors.ts';
import { Sentence } from '../install.mjs';
import { ensureWebBuilt } from '../web-build.mjs';

try {
  ensureWebBuilt();
  linkPostgres();
  console.log('Built.');
} catch (error) {
  console.error(error instanceof Sentence ? error.message : error.stack);
  process.exit(1);
}

function linkPostgres() {
  try {
    locateBinaries();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // There is none for this machine: DATABASE_URL then names another.
    console.error(error.message);
  }
}
