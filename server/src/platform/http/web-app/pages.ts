import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEMBER_COOKIE } from '@krapao/contract/constants';
import { isLanguage } from '@krapao/contract/languages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Variant } from '../../config.ts';
import { requestLanguage } from '../caller.ts';
import { type RewriteAddress, createAddressRewriter } from '../requested-host.ts';

/** Headers of every reply that doesn't set its own. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const;

/** Headers of every reply that is not a page or file of the app: never cached, and harmless if shown as a page. */
export const API_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export type PageSources = {
  /** SHA-256 of the inline scripts and styles of a page, as `'sha256-…'`. */
  scriptHashes: readonly string[];
  styleHashes: readonly string[];
  /** Origins of game sites that a launch form may be posted to. */
  formTargets: readonly string[];
  /** Other origins that a page connects to. */
  connectTargets: readonly string[];
};

/** Content security policy of a page: only the app's own files, nothing of third parties. */
export function pagePolicy(sources: PageSources): string {
  return Object.entries({
    'default-src': ["'none'"],
    'script-src': ["'self'", ...sources.scriptHashes],
    'style-src': ["'self'", ...sources.styleHashes],
    'img-src': ["'self'", 'data:', 'blob:', 'https:'],
    'media-src': ["'self'", 'blob:', 'https:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...sources.connectTargets],
    'worker-src': ["'self'"],
    'manifest-src': ["'self'"],
    'form-action': ["'self'", ...sources.formTargets],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    // Only the sanitiser and the app's trusted-types policy may create HTML or a script URL from text.
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['dompurify', 'krapao'],
  })
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

export type PageOptions = {
  /** Folder of the built app. */
  directory: string;
  /**
   * Folder of the pages: index.html, and optionally ADDRESS.LANGUAGE.html and not-found.LANGUAGE.html, each possibly
   * with .br and .gz files.
   */
  pagesDirectory: string;
  /** Selects the language of callers who have not chosen one. */
  variant: Variant;
  /** Origins of game sites that a launch form may be posted to. */
  formTargets: readonly string[];
  /** Other origins to whose websockets a page connects. */
  socketTargets: readonly string[];
};

/** Page of member URLs that have no page of their own. */
const HOME_PATH = '/user/home';
const LOGIN_PATH = '/login';
const NOT_FOUND_PATH = '/not-found';

type Page = {
  policy: (rewriteAddress: RewriteAddress) => string;
  etag: string;
  bodies: { encoding: string | undefined; body: Buffer }[];
};

/** Serves the pages of the app; returns false when no page matches. */
export type Pages = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** Reads the pages once: they are few and small, and the policy of each needs the hashes of its inline code. */
export function readPages(options: PageOptions): Pages {
  const readNamed = (name: string) => readPage(join(options.pagesDirectory, name), options);
  const indexPage = readNamed('index.html');
  const prerendered = new Map<string, Page>();
  for (const { address, language, file } of prerenderedFiles(options.pagesDirectory)) {
    const page = readNamed(file);
    if (page) prerendered.set(`${address} ${language}`, page);
  }
  return async (request, reply) => {
    const { cookie } = request.headers;
    const language = requestLanguage(cookie, options.variant);
    const path = (request.url.split('?')[0] ?? '').replace(/(?<=.)\/$/, '');
    const address = pageAddress(path, SESSION_COOKIE.test(cookie ?? ''), (candidate) =>
      prerendered.has(`${candidate} ${language}`),
    );
    const page = prerendered.get(`${address} ${language}`) ?? indexPage;
    if (!page) return false;
    await sendPage(page, request, reply);
    return true;
  };
}

const SESSION_COOKIE = new RegExp(`(?:^|;\\s*)${MEMBER_COOKIE}=1(?:;|$)`);

/**
 * URL of the page for a path: the one to which the app will redirect, judging by cookies. Cookies prove nothing, but no
 * page holds data of a member: a wrong page costs only time.
 */
function pageAddress(path: string, hasSession: boolean, isPage: (address: string) => boolean): string {
  const address = path === '/' || path === '' || path === '/user' ? HOME_PATH : path;
  if (!isPage(address)) return NOT_FOUND_PATH;
  return address.startsWith('/user/') && !hasSession ? LOGIN_PATH : address;
}

/** Prerendered pages of a folder: `user.home.th.html` is the page of /user/home in Thai. */
function prerenderedFiles(directory: string): { address: string; language: string; file: string }[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((file) => {
    const [, name = '', language] = /^(.+)\.(\w+)\.html$/.exec(file) ?? [];
    return isLanguage(language) ? [{ address: `/${name.replaceAll('.', '/')}`, language, file }] : [];
  });
}

function readPage(
  path: string,
  { formTargets, socketTargets }: Pick<PageOptions, 'formTargets' | 'socketTargets'>,
): Page | undefined {
  if (!existsSync(path)) return undefined;
  const body = readFileSync(path);
  const html = body.toString('utf8');
  const encodedBodies: Page['bodies'] = [];
  for (const [encoding, extension] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    if (existsSync(path + extension)) encodedBodies.push({ encoding, body: readFileSync(path + extension) });
  }
  encodedBodies.push({ encoding: undefined, body });
  const hashes = inlineHashes(html);
  return {
    bodies: encodedBodies,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    policy: (rewriteAddress) =>
      pagePolicy({
        formTargets: formTargets.map(rewriteAddress),
        // Websockets only: a page that may connect to `ws:` may also connect to `wss:` of the same host.
        connectTargets: socketTargets.map((origin) => rewriteAddress(origin).replace(/^http/, 'ws')),
        ...hashes,
      }),
  };
}

/** Hashes of the inline scripts and styles of a page. JSON data blocks are not executed and need none. */
export function inlineHashes(html: string): { scriptHashes: string[]; styleHashes: string[] } {
  const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scriptHashes: string[] = [];
  for (const [, attributes = '', text = ''] of html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)) {
    const type = /\btype="?([^"\s>]+)/i.exec(attributes)?.[1] ?? 'module';
    if (text !== '' && /^(module|text\/javascript|importmap|speculationrules)$/i.test(type))
      scriptHashes.push(hashOf(text));
  }
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)];
  return { scriptHashes, styleHashes: styles.map(([, text = '']) => hashOf(text)) };
}

/** Cookies select page and language; the content security policy contains the requested host. */
const VARY_HEADER = 'cookie, host, x-forwarded-host, x-forwarded-proto, accept-encoding';

async function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const acceptedEncodings = String(request.headers['accept-encoding'] ?? '');
  const encodedBody = page.bodies.find(
    ({ encoding }) => encoding === undefined || acceptedEncodings.includes(encoding),
  );
  void reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.policy(createAddressRewriter(request)),
    // The page names the files of one build, so browsers revalidate it each time, which costs nothing while it is
    // unchanged.
    'cache-control': 'no-cache',
    vary: VARY_HEADER,
    etag: page.etag,
  });
  if (request.headers['if-none-match'] === page.etag) {
    await reply.code(304).send();
    return;
  }
  if (encodedBody?.encoding) void reply.header('content-encoding', encodedBody.encoding);
  await reply.code(200).send(encodedBody?.body);
}
