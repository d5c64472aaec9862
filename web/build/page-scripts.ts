import { join } from 'node:path';
import { MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS, STORAGE } from '@krapao/contract/constants';
import { type Language, languages } from '@krapao/contract/languages';
import { build } from 'vite';
import type { ScreenFiles } from './screens.ts';

/** JavaScript function that reads a key of a storage; undefined if the storage is unavailable. */
const READ_STORAGE_JS = `r=(s,k)=>{try{return self[s].getItem(k)}catch{}}`;
const READ_TOKEN_JS = `t=r('sessionStorage','${STORAGE.token}')??r('localStorage','${STORAGE.token}')`;
/** JavaScript condition: the current path needs a session. */
const IS_MEMBER_PATH_JS = String.raw`/^\/(user(\/|$)|$)/.test(location.pathname)`;

const isPathJs = (pattern: string): string => `/^\\/${pattern}\\/?$/.test(location.pathname)`;

/** JavaScript that defines `f`, which sends a call and stores its reply for `src/api/preloaded.ts`. */
const preloadCallsScript = (isMemberPage: boolean, hasBodies: boolean): string =>
  `let a=${isMemberPage ? "'Bearer '+t" : 'null'},q={},f=c=>{` +
  `let[m,p,b]=c.split(' '),h={accept:'application/json','${MARKER_HEADER}':'${MARKER_VALUE}'};` +
  (isMemberPage ? 'h.authorization=a;' : '') +
  (hasBodies ? `if(b)h['content-type']='application/json';` : '') +
  `(q[c]=fetch(p,{method:m,${hasBodies ? 'body:b||null,' : ''}headers:h,signal:AbortSignal.timeout(${REQUEST_TIMEOUT_MS})})).catch(()=>0)};` +
  'if(!w)firstCalls={authorization:a,replies:q};';

/** JavaScript that selects the theme as `src/browser/theme.ts` does; `r` reads a storage and `d` is the document's dataset. */
const SELECT_THEME_JS = `h=r('localStorage','${STORAGE.theme}');if(h=='light'||h!='dark'&&matchMedia('(prefers-color-scheme:light)').matches)d.light='';`;

/** JavaScript that selects the layout for large text before `watchTextSize` in `src/shell/boot.ts`. */
const SELECT_NARROW_JS = `if(matchMedia('(width<17rem)').matches)d.narrow='';`;

/** Inline script for the head of a page without content; it only selects the theme. */
export const themeScript = `{let ${READ_STORAGE_JS},d=document.documentElement.dataset,${SELECT_THEME_JS}}`;

/** JavaScript that reserves the rows below the total of the last balance (`src/shared/balance-display.tsx`). */
const RESERVE_ROWS_JS =
  `try{let b='${STORAGE.lastBalance}',{session:s,value:{rows:v}}=JSON.parse(r('sessionStorage',b)??r('localStorage',b));` +
  `if(s==t.slice(-8)&&v.width==innerWidth)document.documentElement.style.setProperty('--rows',v.height+'px')}catch{}`;

/** JavaScript that preloads the scripts of the screen. */
const preloadScript = (scriptFiles: readonly string[]): string =>
  `for(let f of ${JSON.stringify(scriptFiles.map((file) => file.replace(/^assets\//, '')))}){` +
  `let e=document.createElement('link');e.rel='modulepreload';e.crossOrigin='';e.href='/assets/'+f;document.head.append(e)}`;

/**
 * Inline script for the head of a page; it runs before the app's scripts. If the page's language or session state
 * differs from the stored one, the script hides the page; the app shows the right one. Otherwise the script sends the
 * first calls of the screen. The script also preloads the app's scripts, after the calls. As preload tags in the HTML,
 * those would be requested first, and without HTTP/2 a browser sends only six requests concurrently.
 * @param preload scripts to preload
 * @param fallback language if none is stored
 */
export function headScript(
  { path, shell, calls }: ScreenFiles,
  preload: readonly string[],
  language: Language,
  fallback: Language,
): string {
  const isMemberPage = shell === 'member';
  const mismatchChecks = [`(/^(${languages.join('|')})$/.test(l)?l:'${fallback}')!='${language}'`];
  if (isMemberPage) mismatchChecks.push('!t');
  // Offline, the service worker serves the page of /user/home at other URLs too.
  if (path === '/user/home') mismatchChecks.push(`!${isPathJs('(user(\\/home)?)?')}`);
  if (path === '/login') mismatchChecks.push(`(${IS_MEMBER_PATH_JS}?t:!${isPathJs('login')})`);
  const storageReads = [
    READ_STORAGE_JS,
    ...(mismatchChecks.length > 1 ? [READ_TOKEN_JS] : []),
    `l=r('localStorage','${STORAGE.locale}')`,
  ];
  const hidePageScript = `{let ${storageReads.join()},w=${mismatchChecks.join('||')},d=document.documentElement.dataset,${SELECT_THEME_JS}${SELECT_NARROW_JS}if(w)d.wait='';`;
  const [firstCall, ...otherCalls] = calls;
  if (firstCall === undefined) return `${hidePageScript}${preloadScript(preload)}}`;
  const sendFirstCall = `if(!w)f(${JSON.stringify(firstCall)});`;
  const reserveRows = path === '/user/home' ? RESERVE_ROWS_JS : '';
  const sendOtherCalls = `if(!w)${JSON.stringify(otherCalls)}.map(f)`;
  return `${hidePageScript}${preloadCallsScript(
    isMemberPage,
    calls.some((call) => !call.endsWith(' ')),
  )}${sendFirstCall}${reserveRows}${preloadScript(preload)};${sendOtherCalls}}`;
}

const root = join(import.meta.dirname, '..');

/** Bundles a source file of the app into one inline classic script. @param source path below `web` */
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
