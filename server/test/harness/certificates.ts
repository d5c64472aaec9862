import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a TLS server shows, as PEM. */
export type Certificate = { cert: string; key: string };
export type Authority = {
  cert: string;
  /** A certificate of 127.0.0.1 that is good now, or as wished. */
  issue(options?: { address?: string; from?: Date; until?: Date }): Certificate;
};

const DAY_MS = 86_400_000;
const TAG = { integer: 2, bits: 3, octets: 4, oid: 6, text: 12, time: 23, boolean: 1, sequence: 48, set: 49 } as const;
const EXTENSIONS = 0xa3;
const VERSION = 0xa0;
const VERSION_3 = 2;
const IP_ADDRESS = 0x87;
const LONG_LENGTH = 0x80;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const SUBJECT_ALT_NAME = '551d11';

type Subject = { name: string; publicKey: KeyObject };
type Issuer = { name: string; privateKey: KeyObject };

/** A new authority, which is not trusted unless configured. */
export function newAuthority(name = 'Authority of a test'): Authority {
  const keys = newKeys();
  const issuer = { name, privateKey: keys.privateKey };
  return {
    cert: certificateOf({ name, publicKey: keys.publicKey }, issuer, spanOf({}), [
      extension(BASIC_CONSTRAINTS, der(TAG.sequence, der(TAG.boolean, Buffer.from([0xff])))),
    ]),
    issue: ({ address = '127.0.0.1', ...span } = {}) => {
      const { publicKey, privateKey } = newKeys();
      const bytes = Buffer.from(address.split('.').map(Number));
      const names = extension(SUBJECT_ALT_NAME, der(TAG.sequence, der(IP_ADDRESS, bytes)));
      const cert = certificateOf({ name: `Line to ${name}`, publicKey }, issuer, spanOf(span), [names]);
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

/** One that vouches for itself alone. */
export function selfSigned(): Certificate {
  const { publicKey, privateKey } = newKeys();
  const name = 'Self-signed';
  const cert = certificateOf({ name, publicKey }, { name, privateKey }, spanOf({}), []);
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

type Span = { from: Date; until: Date };
const spanOf = ({ from, until }: { from?: Date | undefined; until?: Date | undefined }): Span => ({
  from: from ?? new Date(Date.now() - DAY_MS),
  until: until ?? new Date(Date.now() + DAY_MS),
});

function certificateOf(subject: Subject, issuer: Issuer, { from, until }: Span, extensions: readonly Buffer[]): string {
  const algorithm = der(TAG.sequence, oid(ECDSA_WITH_SHA256));
  const body = der(
    TAG.sequence,
    der(VERSION, der(TAG.integer, Buffer.from([VERSION_3]))),
    // Positive: its first byte says so.
    der(TAG.integer, Buffer.from([1]), randomBytes(8)),
    algorithm,
    nameOf(issuer.name),
    der(TAG.sequence, timeOf(from), timeOf(until)),
    nameOf(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(EXTENSIONS, der(TAG.sequence, ...extensions))] : []),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  const whole = der(TAG.sequence, body, algorithm, der(TAG.bits, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < LONG_LENGTH) return [length];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [LONG_LENGTH + bytes.length, ...bytes];
}

const oid = (hex: string): Buffer => der(TAG.oid, Buffer.from(hex, 'hex'));
const extension = (id: string, value: Buffer): Buffer => der(TAG.sequence, oid(id), der(TAG.octets, value));
const nameOf = (name: string): Buffer =>
  der(TAG.sequence, der(TAG.set, der(TAG.sequence, oid(COMMON_NAME), der(TAG.text, Buffer.from(name)))));
// Two digits of the year, and no fractions of a second.
const timeOf = (time: Date): Buffer =>
  der(TAG.time, Buffer.from(`${time.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));
