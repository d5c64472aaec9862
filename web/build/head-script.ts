import { MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS, STORAGE } from '@krapao/contract/constants';
import { type Language, languages } from '@krapao/contract/languages';
import type { ScreenFiles } from './screens.ts';

/** Reads a key of a storage, where there is one. */
const READ = `r=(s,k)=>{try{return self[s].getItem(k)}catch{}}`;
const TOKEN = `t=r('sessionStorage','${STORAGE.token}')??r('localStorage','${STORAGE.token}')`;
/** Addresses that lead to the login without a session. */
const IS_MEMBERS = String.raw`/^\/(user(\/|$)|$)/.test(location.pathname)`;

const isAddress = (pattern: string): string => `/^\\/${pattern}\\/?$/.test(location.pathname)`;

/** Makes the calls and keeps their replies for `src/api/first-calls.ts`. */
const callScript = (calls: readonly string[], isMembers: boolean): string =>
  `let a=${isMembers ? "'Bearer '+t" : 'null'},q={};` +
  `for(let c of ${JSON.stringify(calls)}){` +
  `let[m,p,b]=c.split(' '),h={accept:'application/json','${MARKER_HEADER}':'${MARKER_VALUE}'};` +
  (isMembers ? 'h.authorization=a;' : '') +
  `if(b)h['content-type']='application/json';` +
  `(q[c]=fetch(p,{method:m,body:b||null,headers:h,signal:AbortSignal.timeout(${REQUEST_TIMEOUT_MS})})).catch(()=>0)}` +
  'firstCalls={authorization:a,replies:q}';

/**
 * The script in the head of a page, written out because it runs before anything of the app is there. It hides a page that isn't
 * the one of this browser: another language is stored than its cookie says, or a session where its cookie says none, and the
 * reverse; the app shows the right one. Else it makes the first calls of the screen.
 * @param fallback what is spoken where no language has been chosen
 */
export function headScript({ path, shell, calls }: ScreenFiles, language: Language, fallback: Language): string {
  const isMembers = shell === 'member';
  const checks = [`(/^(${languages.join('|')})$/.test(l)?l:'${fallback}')!='${language}'`];
  if (isMembers) checks.push('!t');
  // The service worker may answer another address with one of these two, where there is no line.
  if (path === '/user/home') checks.push(`!${isAddress('(user(\\/home)?)?')}`);
  if (path === '/login') checks.push(`(${IS_MEMBERS}?t:!${isAddress('login')})`);
  const reads = [READ, ...(checks.length > 1 ? [TOKEN] : []), `l=r('localStorage','${STORAGE.locale}')`];
  const first = calls.length === 0 ? '' : `else{${callScript(calls, isMembers)}}`;
  return `{let ${reads.join()};if(${checks.join('||')})document.documentElement.dataset.wait='';${first}}`;
}
