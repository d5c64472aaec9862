import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { isSource, lineOf, withoutComments } from './files.mjs';

/** What may stand in one place only. `in`: where the rule looks; `except`: the place that it belongs to. */
const RULES = [
  {
    what: /\bprocess\.env\b/g,
    in: /^server\/src\//,
    except: /^server\/src\/platform\/config\.ts$/,
    why: 'only platform/config.ts reads the environment',
  },
  {
    what: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/g,
    in: /^server\/src\//,
    except: /^server\/src\/platform\/clock\.ts$/,
    why: 'only platform/clock.ts knows the time',
  },
  {
    what: /\bMath\.random\(|\brandom(?:UUID|Bytes|Int|FillSync)\(|\bgetRandomValues\(/g,
    in: /^server\/src\//,
    except: /^server\/src\/platform\/ids\.ts$/,
    why: 'only platform/ids.ts makes ids and random values',
  },
  {
    what: /\bfetch\(|['"]node:https?['"]/g,
    in: /^server\/src\//,
    // The second speaks to processes of our own.
    except: /^server\/src\/platform\/(?:http\/outbound|processes\/session-forwarding)\.ts$/,
    why: 'only platform/http/outbound.ts calls the outside, which it never does inside a transaction',
  },
  {
    what: /\bledger\.(?:account|operation|entry|batch|lane)\b(?!\()|\bpost_batch\b/g,
    in: /^server\/src\/(?!ledger\/).*queries|^server\/src\/(?:modules|counterparties|platform)\//,
    except: /^$/,
    why: 'only the ledger names its tables',
    inStringsOnly: true,
  },
  {
    what: /\bselect\b[\s\S]{0,200}?\bfrom\b|\binsert into\b|\bupdate\b[\s\S]{0,80}?\bset\b|\bdelete from\b/gi,
    in: /^server\/src\/modules\//,
    except: /\/queries[^/]*\.ts$|-queries\.ts$/,
    why: 'all SQL of a word stands in its queries.ts',
    inStringsOnly: true,
  },
  {
    what: /\bIDEMPOTENCY_KEY_REUSED\b/g,
    in: /^server\/src\//,
    except: /^server\/src\/settlement\/command\.ts$/,
    why: 'only settlement/command.ts runs commands by idempotency key',
  },
  {
    what: /\bstandby\.of\(/g,
    in: /^server\/src\//,
    except: /^server\/src\/modules\/statement\//,
    why: 'only pages that may be seconds old are read from a standby: nothing that decides about money',
  },
  {
    what: /\bhit\(\{/g,
    in: /^server\/src\/modules\//,
    except: /^$/,
    why: 'only lookup/limits.ts composes a limit of the operator: key, window and code',
  },
  {
    what: /from 'pg'/g,
    in: /^server\/src\//,
    except: /^server\/src\/(?:platform\/database\/|ledger\/lane-connection\.ts$)/,
    why: 'only platform/database speaks to the driver: it names every statement that recurs',
  },
  {
    // Not preparable: another kind of statement, several in one text, or a value in the text.
    what: /\.query(?:<[^;()]*>)?\(\s*(?:[`'](?!\s*(?:select|with|insert|update|delete|listen|lock)\b|\s*\$)|`[^`]*;|`[^`]*\$\{(?!(?:column|set|change)\})[a-z]\w*\})/g,
    in: /^server\/src\/(?:modules|settlement|ledger)\//,
    // Run by commands, once each.
    except: /^server\/src\/(?:ledger\/(?:audit|lane-connection)|modules\/reconcile\/module)\.ts$/,
    why: 'a statement of a module is one select, insert, update or delete of constant text, so that it can be prepared',
  },
  {
    what: /\bz\s*\.string\(\)(?!\s*\.regex\()/g,
    in: /^server\/src\/counterparties\//,
    // Settings, which operators write.
    except: /\/(?:outside-text|definition|bulk-sms)\.ts$/,
    why: 'parse text of counterparties with counterparties/outside-text.ts: the database refuses some characters',
  },
  {
    what: /\bparseFloat\(|\.toFixed\(/g,
    in: /^(server|contract)\/src\//,
    except: /^$/,
    why: 'money is never floating point',
  },
  ...newerFunctions(),
];

/** Web platform functions that a supported browser (README) lacks. A journey runs the app without them. */
function newerFunctions() {
  const names = JSON.parse(readFileSync(join(ROOT, 'web/newer-than-supported.json'), 'utf8'));
  // Other objects have methods of these names; only the journey finds their use.
  const isAmbiguous = (name) => /^Iterator\.prototype\.|\.size$/.test(name);
  return names
    .filter((name) => !isAmbiguous(name))
    .map((name) => ({
      what: useOf(name),
      in: /^web\/src\//,
      // It tests whether there is one.
      except: name === 'trustedTypes' ? /^web\/src\/start\/start-service-worker\.ts$/ : /^$/,
      why: 'a supported browser lacks it (README)',
    }));
}

/** Pattern of a use: a static with its owner, a method of any object, a global alone. */
function useOf(name) {
  const [owner, ...rest] = name.split('.');
  if (rest.length === 0) return new RegExp(String.raw`(?<![\w.'-])${owner}(?=[.(?])`, 'g');
  if (rest[0] === 'prototype') return new RegExp(String.raw`\.${rest[1]}\b(?!\s*:)`, 'g');
  return new RegExp(String.raw`\b${owner}\.${rest[0]}\b`, 'g');
}

/** Things that have one place. Answers sentences. */
export function checkPlaces(files) {
  return files
    .filter(({ path }) => isSource(path))
    .flatMap(({ path, text }) => {
      const rules = RULES.filter((rule) => rule.in.test(path) && !rule.except.test(path));
      if (rules.length === 0) return [];
      const program = withoutComments(text);
      const strings = stringsOf(program);
      return rules.flatMap((rule) =>
        [...(rule.inStringsOnly ? strings : program).matchAll(rule.what)].map(
          (match) => `${path}:${lineOf(program, match.index)} has ${match[0].split('\n')[0]}: ${rule.why}.`,
        ),
      );
    });
}

// Everything but the strings blanked out, positions kept.
function stringsOf(program) {
  let kept = '';
  let last = 0;
  for (const match of program.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)) {
    kept += program.slice(last, match.index).replaceAll(/[^\n]/g, ' ') + match[0];
    last = match.index + match[0].length;
  }
  return kept;
}
