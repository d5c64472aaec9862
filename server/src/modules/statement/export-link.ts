import { type exportFormats } from '@krapao/contract/statement';
import { decodeExactly } from '../../platform/crypto/secret-box.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Member } from '../../platform/http/caller.ts';
import { findExport, selectContent, selectPartLines, type StatementExport } from './export-queries.ts';
import type { ExportDeps } from './request-export.ts';

type Format = (typeof exportFormats)[number];

const LINK_SECONDS = 10 * 60;
const CONTEXT = 'statement-export';

const CONTENT_TYPES: Readonly<Record<Format, string>> = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' };

type ExportStatus = Pick<StatementExport, 'state' | 'lines'> & {
  parts: { url: string; lines: number }[];
  expiresAt: string | null;
};

/** State of a member's file, with a signed address of each part once it is made. @throws {Refusal} NO_DATA */
export async function exportStatus(deps: ExportDeps, member: Member, id: string): Promise<ExportStatus> {
  const found = await findExport(deps.database, member.id, id);
  if (!found) throw new Refusal('NO_DATA');
  const { state, lines, input } = found;
  if (state !== 'DONE' || lines === null) return { state, lines, parts: [], expiresAt: null };
  const expiresAt = Math.floor(deps.clock.now().getTime() / 1000) + LINK_SECONDS;
  const partLines = await selectPartLines(deps.database, id, lines);
  const urlOf = (part: number): string => {
    const text = `${expiresAt} ${input.format} ${id} ${part} ${partLines.length}`;
    return `${deps.publicUrl}/api/statement-export/${deps.secretBox.seal(text, CONTEXT).toString('base64url')}`;
  };
  return {
    state,
    lines,
    parts: partLines.map((count, index) => ({ url: urlOf(index + 1), lines: count })),
    expiresAt: new Date(expiresAt * 1000).toISOString(),
  };
}

/** File of a signed address; undefined if the address expired or is forged, or the file was deleted. */
export async function openExport(
  { database, secretBox, clock }: ExportDeps,
  token: string,
): Promise<{ content: Buffer; contentType: string; name: string } | undefined> {
  const sealed = decodeExactly(token, 'base64url');
  if (!sealed) return undefined;
  let opened: string[];
  try {
    opened = secretBox.open(sealed, CONTEXT).split(' ');
  } catch {
    return undefined;
  }
  // An older program names no part.
  const [expiresAt, format, id, part = '1', parts = '1'] = opened as [string, Format, string, string?, string?];
  if (Number(expiresAt) * 1000 <= clock.now().getTime()) return undefined;
  const content = await selectContent(database, id, Number(part));
  const suffix = parts === '1' ? '' : `-part-${part}-of-${parts}`;
  return content && { content, contentType: CONTENT_TYPES[format], name: `krapao-statement${suffix}.${format}` };
}
