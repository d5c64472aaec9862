import { join } from 'node:path';
import { MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS, STORAGE } from '@krapao/contract/constants';
import { type Language, languages } from '@krapao/contract/languages';
import { build } from 'vite';
import type { ScreenFiles } from './screens.ts';

/** Reads a key of a storage, where there is one. */
const READ = `r=(s,k)=>{try{return self[s].getItem(k)}catch{}}`;
const TOKEN = `t=r('sessionStorage','${STORAGE.token}')??r('localStorage','${STORAGE.token}')`;
/** Paths that need a session. */
const IS_MEMBERS = String.raw`/^\/(user(\/|$)|$)/.test(location.pathname)`;

const isAddress = (pattern: string): string => `/^\\/${pattern}\\/?$/.test(location.pathname)`;

/** Defines the call and storage of preloaded replies for `src/api/preloaded.ts`. */
const callScript = (isMembers: boolean, hasBodies: boolean): string =>
  `let a=${isMembers ? "'Bearer '+t" : 'null'},q={},f=c=>{` +
  `let[m,p,b]=c.split(' '),h={accept:'application/json','${MARKER_HEADER}':'${MARKER_VALUE}'};` +
  (isMembers ? 'h.authorization=a;' : '') +
  (hasBodies ? `if(b)h['content-type']='application/json';` : '') +
  `(q[c]=fetch(p,{method:m,${hasBodies ? 'body:b||null,' : ''}headers:h,signal:AbortSignal.timeout(${REQUEST_TIMEOUT_MS})})).catch(()=>0)};` +
  'if(!w)firstCalls={authorization:a,replies:q};';

/** Preloads the scripts of the screen. */
const preloadScript = (files: readonly string[]): string =>
  `for(let f of ${JSON.stringify(files.map((file) => file.replace(/^assets\//, '')))}){` +
  `let e=document.createElement('link');e.rel='modulepreload';e.crossOrigin='';e.href='/assets/'+f;document.head.append(e)}`;

/**
 * Inline script in the head of a page; it runs before the app's scripts. Hides a page of another language or session
 * state than the stored one, until the app has rendered the right one. Else it sends the first calls of the screen.
 * They precede the scripts, which are therefore listed here, not in the HTML: a browser's preload scanner would request
 * those first, and without HTTP/2 it sends six requests concurrently.
 * @param preload scripts to fetch
 * @param fallback language without a stored choice
 */
export function headScript(
  { path, shell, calls }: ScreenFiles,
  preload: readonly string[],
  language: Language,
  fallback: Language,
): string {
  const isMembers = shell === 'member';
  const checks = [`(/^(${languages.join('|')})$/.test(l)?l:'${fallback}')!='${language}'`];
  if (isMembers) checks.push('!t');
  // Offline, the service worker may serve one of these pages at another URL.
  if (path === '/user/home') checks.push(`!${isAddress('(user(\\/home)?)?')}`);
  if (path === '/login') checks.push(`(${IS_MEMBERS}?t:!${isAddress('login')})`);
  const reads = [READ, ...(checks.length > 1 ? [TOKEN] : []), `l=r('localStorage','${STORAGE.locale}')`];
  const hide = `{let ${reads.join()},w=${checks.join('||')};if(w)document.documentElement.dataset.wait='';`;
  const [first, ...others] = calls;
  if (first === undefined) return `${hide}${preloadScript(preload)}}`;
  const ask = `if(!w)f(${JSON.stringify(first)});`;
  const askMore = `if(!w)${JSON.stringify(others)}.map(f)`;
  return `${hide}${callScript(
    isMembers,
    calls.some((call) => !call.endsWith(' ')),
  )}${ask}${preloadScript(preload)};${askMore}}`;
}

const root = join(import.meta.dirname, '..');

/** Bundles a source of the app into one inline classic script. @param source path below `web` */
export async function inlineScript(source: string): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: join(root, source), output: { format: 'iife', codeSplitting: false } },
    },
  });
  const [bundle] = [result].flat();
  const chunk = bundle && 'output' in bundle ? bundle.output[0] : undefined;
  if (!chunk) throw new Error(`${source} was not bundled`);
  return chunk.code.trim();
}
