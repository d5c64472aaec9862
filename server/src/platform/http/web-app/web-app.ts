import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unknownPaths } from '../error-handler.ts';
import { type PageOptions, readPages, pagePolicy } from './pages.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * Serves the built app: its files, a page for every path that is no file, and the reply for all paths without a route.
 * Call it before the routes are added: it records the methods of each path.
 */
export async function serveWebApp(app: FastifyInstance, options: PageOptions): Promise<void> {
  const explainUnknownPath = unknownPaths(app);
  const pages = readPages(options);
  app.setNotFoundHandler(async (request, reply) => {
    if (isForPage(request) && (await pages(request, reply))) return reply;
    const { status, allow, detail } = explainUnknownPath(request.url.split('?')[0] ?? '', request.method);
    if (allow) void reply.header('allow', allow);
    return reply.code(status).send({ message: 'NO_DATA', detail });
  });
  if (!existsSync(options.directory)) return;
  await app.register(staticFiles, {
    root: options.directory,
    // The default route reads the folders of a path on every call, to compare their spelling.
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply: FastifyReply, path: string) => {
      const isHashedAsset = path.startsWith(join(options.directory, 'assets'));
      void reply.header('cache-control', isHashedAsset ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
      // A worker runs under the policy of its own file.
      void reply.header(
        'content-security-policy',
        pagePolicy({ formTargets: [], connectTargets: [], scriptHashes: [], styleHashes: [] }),
      );
    },
  });
  const paths = readFilePaths(options.directory);
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: (request, reply) => {
      const file = resolveFile(request.url, paths);
      return file === undefined ? reply.callNotFound() : reply.sendFile(file);
    },
  });
}

// A path with a dot in its last segment is a file. /api and the socket have their own replies.
function isForPage(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? '';
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  // A path with an empty segment belongs to no page; such a link could lead to another host.
  if (path.includes('//')) return false;
  return !/^\/(api|socket\.io|health|metrics)(\/|$)/.test(path) && !/\.[^/]*$/.test(path);
}

/** Files that are not served by name: pages, which have a policy (`pages.ts`), and compressed variants. */
const HIDDEN_EXTENSIONS = /\.(?:html|br|gz)$/;

/** URL paths of the files below a directory that are served by name, without hidden segments (leading dot). */
export function readFilePaths(directory: string): ReadonlySet<string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(
    ({ parentPath, name }) => `/${relative(directory, join(parentPath, name)).replaceAll(sep, '/')}`,
  );
  return new Set(paths.filter((path) => !path.includes('/.') && !HIDDEN_EXTENSIONS.test(path)));
}

/** The file of a URL, if a file with exactly this name exists. */
export function resolveFile(url: string, paths: ReadonlySet<string>): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    return paths.has(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
