import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PageOptions, readPages, pagePolicy } from './pages.ts';
import { unknownPaths } from '../error-handler.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * Serves the built app: its files, and a page for every path that is no file; and answers all paths without a route.
 * Call it before the routes are added: it records which methods a path has.
 */
export async function serveWebApp(app: FastifyInstance, options: PageOptions): Promise<void> {
  const whyUnknown = unknownPaths(app);
  const pages = readPages(options);
  app.setNotFoundHandler(async (request, reply) => {
    if (isForPage(request) && (await pages(request, reply))) return reply;
    const { status, allow, detail } = whyUnknown(request.url.split('?')[0] ?? '', request.method);
    if (allow) void reply.header('allow', allow);
    return reply.code(status).send({ message: 'NO_DATA', detail });
  });
  if (!existsSync(options.directory)) return;
  await app.register(staticFiles, {
    root: options.directory,
    // Its own route reads the folders of a path for every call, to compare their spelling.
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply: FastifyReply, path: string) => {
      const hashed = path.startsWith(join(options.directory, 'assets'));
      void reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
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

// A path with a dot in its last segment is a file; /api and the socket have answers of their own.
function isForPage(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? '';
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  // With an empty segment it is no address of the app, whose own links may not lead to another host.
  if (path.includes('//')) return false;
  return !/^\/(api|socket\.io|health|metrics)(\/|$)/.test(path) && !/\.[^/]*$/.test(path);
}

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
export function resolveFile(url: string, paths: ReadonlySet<string>): string | undefined {
  try {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    return paths.has(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
