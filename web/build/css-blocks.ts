/** A block of a style sheet with its prelude and body. At-rules that end with `;` have no body. */
export type Block = { prelude: string; body: string | undefined };

/** Index after the string or comment that starts at `index`; `index` itself if none starts there. */
function skipStringOrComment(css: string, index: number): number {
  const quote = css[index];
  if (quote === '"' || quote === "'") {
    let end = index + 1;
    while (end < css.length && css[end] !== quote) end += css[end] === '\\' ? 2 : 1;
    return end;
  }
  if (css.startsWith('/*', index)) return css.indexOf('*/', index) + 1;
  return index;
}

/** Splits CSS into its top-level blocks. */
export function blocksOf(css: string): Block[] {
  const blocks: Block[] = [];
  let braceDepth = 0;
  let blockStart = 0;
  let bodyStart = 0;
  for (let index = 0; index < css.length; index++) {
    const indexAfter = skipStringOrComment(css, index);
    if (indexAfter > index) index = indexAfter;
    else if (css[index] === '\\') index++;
    else if (css[index] === '{' && braceDepth++ === 0) bodyStart = index;
    else if (css[index] === '}' && --braceDepth === 0) {
      blocks.push({ prelude: css.slice(blockStart, bodyStart).trim(), body: css.slice(bodyStart + 1, index) });
      blockStart = index + 1;
    } else if (css[index] === ';' && braceDepth === 0) {
      blocks.push({ prelude: css.slice(blockStart, index).trim(), body: undefined });
      blockStart = index + 1;
    }
  }
  return blocks;
}
