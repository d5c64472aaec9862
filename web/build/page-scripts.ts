import { join } from 'node:path';
import { MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS, STORAGE } from '@krapao/contract/constants';
import { type Language, languages } from '@krapao/contract/languages';
import { build } from 'vite';
import type { ScreenFiles } from './screens.ts';

/** Reads a key of a storage, where there is one. */
const READ = `r=(s,k)=>{try{return self[s].getItem(k)}catch{}}`;
const TOKEN = `t=r('sessionStorage','${STORAGE.token}')??r('localStorage','${STORAGE.token}')`;
/** Addresses that lead to the login without a session. */
const IS_MEMBERS = String.raw`/^\/(user(\/|$)|$)/.test(location.pathname)`;

const isAddress = (pattern: string): string => `/^\\/${pattern}\\/?$/.test(location.pathname)`;

/** Defines what makes a call and keeps its reply for `src/api/preloaded.ts`. */
const callScript = (isMembers: boolean, hasBodies: boolean): string =>
  `let a=${isMembers ? "'Bearer '+t" : 'null'},q={},f=c=>{` +
  `let[m,p,b]=c.split(' '),h={accept:'application/json','${MARKER_HEADER}':'${MARKER_VALUE}'};` +
  (isMembers ? 'h.authorization=a;' : '') +
  (hasBodies ? `if(b)h['content-type']='application/json';` : '') +
  `(q[c]=fetch(p,{method:m,${hasBodies ? 'body:b||null,' : ''}headers:h,signal:AbortSignal.timeout(${REQUEST_TIMEOUT_MS})})).catch(()=>0)};` +
  'if(!w)firstCalls={authorization:a,replies:q};';

/** Fetches the scripts of the screen. */
const preloadScript = (files: readonly string[]): string =>
  `for(let f of ${JSON.stringify(files.map((file) => file.replace(/^assets\//, '')))}){` +
  `let e=document.createElement('link');e.rel='modulepreload';e.crossOrigin='';e.href='/assets/'+f;document.head.append(e)}`;

/**
 * The script in the head of a page, written out because it runs before anything of the app is there. It hides a page that isn't
 * the one of this browser: another language is stored than its cookie says, or a session where its cookie says none, and the
 * reverse; the app shows the right one. Else it makes the first calls of the screen. The first call leaves before the scripts are
 * asked for, which is why those are named here and not in the page's HTML: a browser looks through all of that before it runs anything,
 * and without HTTP/2 six requests at once are all that it makes.
 * @param preload scripts to fetch
 * @param fallback what is spoken where no language has been chosen
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
  // The service worker may answer another address with one of these two, where there is no line.
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

/** Bundles a source of the app into one classic script that can stand in a page. @param source path below `web` */
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
