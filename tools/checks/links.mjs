import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../install.mjs';
import { lineOf } from './files.mjs';

/** A relative link or image of a document. */
const LOCAL_LINK = /\]\((?![a-z]+:|#)([^)\s#]+)/g;

/** Returns messages about relative links to missing files. */
export function checkLinks(files) {
  const brokenLinks = [];
  for (const { path, text } of files) {
    if (!path.endsWith('.md')) continue;
    for (const { 1: target, index } of text.matchAll(LOCAL_LINK)) {
      if (existsSync(join(ROOT, dirname(path), target))) continue;
      brokenLinks.push(`${path}:${lineOf(text, index)} links to ${target}, which is not there.`);
    }
  }
  return brokenLinks;
}
