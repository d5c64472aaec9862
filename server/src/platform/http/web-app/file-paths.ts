import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Pages have a policy of their own (`pages.ts`); compressed files are chosen for a caller, not asked for. */
const NOT_BY_NAME = /\.(?:html|br|gz)$/;

/** URL paths of the files below a directory that are served by their name: none with a segment that begins with a dot. */
export function readFilePaths(directory: string): ReadonlySet<string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(
    ({ parentPath, name }) => `/${relative(directory, join(parentPath, name)).replaceAll(sep, '/')}`,
  );
  return new Set(paths.filter((path) => !path.includes('/.') && !NOT_BY_NAME.test(path)));
}

/** The file that a URL names, where there is one with exactly this name. */
export function fileOf(url: string, paths: ReadonlySet<string>): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    return paths.has(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
