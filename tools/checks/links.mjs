import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../install.mjs';
import { lineOf } from './files.mjs';

/** A relative link or image of a document. */
const LINK = /\]\((?![a-z]+:|#)([^)\s#]+)/g;

/** Messages about relative links to files that do not exist. */
export function checkLinks(files) {
  const broken = [];
  for (const { path, text } of files) {
    if (!path.endsWith('.md')) continue;
    for (const { 1: target, index } of text.matchAll(LINK)) {
      if (existsSync(join(ROOT, dirname(path), target))) continue;
      broken.push(`${path}:${lineOf(text, index)} links to ${target}, which is not there.`);
    }
  }
  return broken;
}
