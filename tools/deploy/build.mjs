// `npm run build`: writes everything that an installation needs into the folder of the program, so that the server
// needs no right to write there: packages (by tools/run.mjs), the web app, the links of the built-in PostgreSQL.
import { locateBinaries } from '../../server/src/platform/database/embedded-postgres/data-directory.ts';
import { UserError } from '../../server/src/platform/errors.ts';
import { UserError as ToolError } from '../install.mjs';
import { ensureWebBuilt } from '../web-build.mjs';

try {
  ensureWebBuilt();
  linkPostgres();
  console.log('Built.');
} catch (error) {
  console.error(error instanceof ToolError ? error.message : error.stack);
  process.exit(1);
}

function linkPostgres() {
  try {
    locateBinaries();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // No built-in PostgreSQL exists for this machine; DATABASE_URL then names another one.
    console.error(error.message);
  }
}
