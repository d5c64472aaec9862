/**
 * Parses EMVCo merchant-presented QR texts: fields of two digits tag, two digits length, value. Strict: refuses a text
 * that a bank app might pay differently. Display texts may be in any script, and a field may be empty.
 */
export type EmvFields = ReadonlyMap<string, string>;

const TEXT_CHARACTERS_MAX = 512;
const CRC_TAG_AND_LENGTH = '6304';
const CRC_DIGITS = 4;
const UNPRINTABLE_CHARACTERS = /[\p{Cc}\p{Cs}\ufffd]/u;
const FIELD_HEAD = /^\d{4}$/;

/**
 * CRC-16/CCITT-FALSE (0x1021 from 0xFFFF, not reflected) of the UTF-8 bytes of a text, as four upper-case hex digits.
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(CRC_DIGITS, '0');
}

/**
 * Splits a text, or the value of a template field, into its non-empty fields. Lengths count characters or, at some
 * issuers, UTF-8 bytes.
 * @returns undefined when a length exceeds the text, a tag is repeated, there is no field, or the two ways of counting
 *   give different fields
 */
export function readFields(text: string): EmvFields | undefined {
  if (isAscii(text)) return splitFields(text);
  const byCharacters = splitFields(text);
  const byteFields = splitFields(Buffer.from(text, 'utf8').toString('latin1'));
  const byBytes =
    byteFields && new Map([...byteFields].map(([tag, value]) => [tag, Buffer.from(value, 'latin1').toString('utf8')]));
  if (!byCharacters || !byBytes) return byCharacters ?? byBytes;
  const isSame =
    byCharacters.size === byBytes.size && [...byBytes].every(([tag, value]) => byCharacters.get(tag) === value);
  return isSame ? byCharacters : undefined;
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

function splitFields(text: string): EmvFields | undefined {
  const fields = new Map<string, string>();
  const tags = new Set<string>();
  let position = 0;
  while (position < text.length) {
    const head = text.slice(position, position + 4);
    if (!FIELD_HEAD.test(head)) return undefined;
    const tag = head.slice(0, 2);
    const length = Number(head.slice(2));
    const value = text.slice(position + 4, position + 4 + length);
    if (value.length !== length || tags.has(tag)) return undefined;
    tags.add(tag);
    if (value !== '') fields.set(tag, value);
    position += 4 + length;
  }
  return fields.size > 0 ? fields : undefined;
}

/**
 * Parses a whole QR text: version 01 first, a valid CRC over its UTF-8 bytes last, no control characters.
 * @returns undefined for anything else
 */
export function readEmvText(text: string): EmvFields | undefined {
  if (text.length > TEXT_CHARACTERS_MAX || UNPRINTABLE_CHARACTERS.test(text) || !text.startsWith('000201'))
    return undefined;
  const checkedText = text.slice(0, -CRC_DIGITS);
  if (!checkedText.endsWith(CRC_TAG_AND_LENGTH)) return undefined;
  if (crc16(checkedText) !== text.slice(-CRC_DIGITS).toUpperCase()) return undefined;
  const fields = readFields(text);
  return fields && [...fields.keys()].at(-1) === '63' ? fields : undefined;
}
