/** A block of a style sheet: its prelude and body; at-rules that end with `;` have no body. */
export type Block = { prelude: string; body: string | undefined };

/** End of a string or comment at `at`; `at` itself without one. */
function skip(css: string, at: number): number {
  const quote = css[at];
  if (quote === '"' || quote === "'") {
    let end = at + 1;
    while (end < css.length && css[end] !== quote) end += css[end] === '\\' ? 2 : 1;
    return end;
  }
  if (css.startsWith('/*', at)) return css.indexOf('*/', at) + 1;
  return at;
}

/** Splits css into top-level blocks. */
export function blocksOf(css: string): Block[] {
  const blocks: Block[] = [];
  let depth = 0;
  let start = 0;
  let open = 0;
  for (let at = 0; at < css.length; at++) {
    const after = skip(css, at);
    if (after > at) at = after;
    else if (css[at] === '\\') at++;
    else if (css[at] === '{' && depth++ === 0) open = at;
    else if (css[at] === '}' && --depth === 0) {
      blocks.push({ prelude: css.slice(start, open).trim(), body: css.slice(open + 1, at) });
      start = at + 1;
    } else if (css[at] === ';' && depth === 0) {
      blocks.push({ prelude: css.slice(start, at).trim(), body: undefined });
      start = at + 1;
    }
  }
  return blocks;
}
