import type { DocumentPath, Problem } from './subject.ts';

/** Maximum size of a document. */
export const DOCUMENT_BYTES_MAX = 1_048_576;
const DEPTH_MAX = 20;

/** NUL and lone surrogates, which PostgreSQL refuses, and control characters without a place in a text. */
const FORBIDDEN_CHARACTER = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/**
 * Parses the bytes of a document: UTF-8, JSON, each field once, no character that can't be stored.
 * @returns the JSON value, or its problems
 */
export function parseDocument(bytes: Uint8Array): { value: unknown } | { problems: Problem[] } {
  if (bytes.length > DOCUMENT_BYTES_MAX) return refuse(`larger than ${DOCUMENT_BYTES_MAX} bytes`);
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('not UTF-8');
  }
  if (text.trim() === '') return refuse('empty');
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse(`not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  }
  const problems = findFieldProblems(text);
  if (problems.length === 0) problems.push(...findTextProblems(value, []));
  return problems.length > 0 ? { problems } : { value };
}

const refuse = (message: string): { problems: Problem[] } => ({ problems: [{ path: [], message }] });

type Level = { keys: Set<string> | undefined; index: number; key: string | undefined };

/** Finds repeated fields, which a JSON parser drops silently, and too deep nesting, in valid JSON. */
function findFieldProblems(text: string): Problem[] {
  const levels: Level[] = [];
  const problems: Problem[] = [];
  const pathOf = (): DocumentPath => levels.map(({ keys, index, key }) => (keys ? (key ?? '') : index));
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      if (levels.length >= DEPTH_MAX) return [{ path: [], message: `nested deeper than ${DEPTH_MAX} levels` }];
      levels.push({ keys: token === '{' ? new Set() : undefined, index: 0, key: undefined });
    } else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level) Object.assign(level, { index: level.index + 1, key: undefined });
    else if (level?.keys && level.key === undefined) {
      level.key = JSON.parse(token) as string;
      if (level.keys.has(level.key)) problems.push({ path: pathOf(), message: 'twice' });
      level.keys.add(level.key);
    }
  }
  return problems;
}

function findTextProblems(value: unknown, path: DocumentPath): Problem[] {
  if (typeof value === 'string') {
    return FORBIDDEN_CHARACTER.test(value)
      ? [{ path, message: 'contains a control character or half of a surrogate pair' }]
      : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(FORBIDDEN_CHARACTER.test(key) ? [{ path, message: 'a field name contains a control character' }] : []),
    ...findTextProblems(child, [...path, Array.isArray(value) ? Number(key) : key]),
  ]);
}
