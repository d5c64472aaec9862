/** Parses CSV (RFC 4180) with a byte order mark. @returns rows of cells */
export function parseCsv(text: string): string[][] {
  if (!text.startsWith('\uFEFF')) throw new Error('no byte order mark');
  const rows: string[][] = [[]];
  const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
  let at = 1;
  while (at < text.length) {
    cell.lastIndex = at;
    const match = cell.exec(text);
    if (!match) throw new Error(`malformed at ${at}`);
    rows.at(-1)?.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'));
    at = cell.lastIndex;
    if (text.startsWith('\r\n', at)) {
      at += 2;
      if (at < text.length) rows.push([]);
    } else if (text[at] === ',') at += 1;
    else if (at < text.length) throw new Error(`malformed at ${at}`);
  }
  return rows;
}
