import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fileOf, readFilePaths } from './file-paths.ts';
import { type PageOptions, readPages } from './pages.ts';
import { pagePolicy } from './security-headers.ts';
import { unknownPaths } from '../unknown-paths.ts';

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
      const file = fileOf(request.url, paths);
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
