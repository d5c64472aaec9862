import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An entry of the bundler's manifest. */
type Chunk = { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[] };
export type Manifest = Record<string, Chunk>;

export const readManifest = async (dist: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;

/** Output files of some source files and of their static imports. All of these files load before the sources run. */
export function filesOf(manifest: Manifest, sources: readonly string[]): string[] {
  const visitedSources = new Set<string>();
  const visit = (source: string): void => {
    const chunk = manifest[source];
    if (!chunk) throw new Error(`the build has no ${source}`);
    if (visitedSources.has(source)) return;
    visitedSources.add(source);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const source of sources) visit(source);
  return [...visitedSources].map((source) => manifest[source]?.file ?? '');
}
