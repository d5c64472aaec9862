import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Certificate and key of a TLS server, as PEM. */
export type Certificate = { cert: string; key: string };
export type CertificateAuthority = {
  cert: string;
  /** Issues a certificate for 127.0.0.1, valid now unless other options are given. */
  issue(options?: { address?: string; from?: Date; until?: Date }): Certificate;
};

const DAY_MS = 86_400_000;
const ASN1_TAG = {
  integer: 2,
  bits: 3,
  octets: 4,
  oid: 6,
  text: 12,
  time: 23,
  boolean: 1,
  sequence: 48,
  set: 49,
} as const;
const EXTENSIONS_TAG = 0xa3;
const VERSION_TAG = 0xa0;
const VERSION_3 = 2;
const IP_ADDRESS = 0x87;
const LONG_LENGTH = 0x80;
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const SUBJECT_ALT_NAME = '551d11';

type CertificateSubject = { name: string; publicKey: KeyObject };
type CertificateIssuer = { name: string; privateKey: KeyObject };

/** A new authority, which is not trusted unless configured. */
export function newCertificateAuthority(name = 'Authority of a test'): CertificateAuthority {
  const keys = newKeys();
  const issuer = { name, privateKey: keys.privateKey };
  return {
    cert: buildCertificate({ name, publicKey: keys.publicKey }, issuer, toValidity({}), [
      certificateExtension(
        BASIC_CONSTRAINTS,
        derValue(ASN1_TAG.sequence, derValue(ASN1_TAG.boolean, Buffer.from([0xff]))),
      ),
    ]),
    issue: ({ address = '127.0.0.1', ...span } = {}) => {
      const { publicKey, privateKey } = newKeys();
      const bytes = Buffer.from(address.split('.').map(Number));
      const names = certificateExtension(SUBJECT_ALT_NAME, derValue(ASN1_TAG.sequence, derValue(IP_ADDRESS, bytes)));
      const certificatePem = buildCertificate({ name: `Line to ${name}`, publicKey }, issuer, toValidity(span), [
        names,
      ]);
      return { cert: certificatePem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

/** A self-signed certificate. */
export function selfSignedCertificate(): Certificate {
  const { publicKey, privateKey } = newKeys();
  const name = 'Self-signed';
  const certificatePem = buildCertificate({ name, publicKey }, { name, privateKey }, toValidity({}), []);
  return { cert: certificatePem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

type ValidityPeriod = { from: Date; until: Date };
const toValidity = ({ from, until }: { from?: Date | undefined; until?: Date | undefined }): ValidityPeriod => ({
  from: from ?? new Date(Date.now() - DAY_MS),
  until: until ?? new Date(Date.now() + DAY_MS),
});

function buildCertificate(
  subject: CertificateSubject,
  issuer: CertificateIssuer,
  { from, until }: ValidityPeriod,
  extensions: readonly Buffer[],
): string {
  const algorithm = derValue(ASN1_TAG.sequence, objectIdentifier(ECDSA_WITH_SHA256));
  const body = derValue(
    ASN1_TAG.sequence,
    derValue(VERSION_TAG, derValue(ASN1_TAG.integer, Buffer.from([VERSION_3]))),
    // The first byte keeps the number positive.
    derValue(ASN1_TAG.integer, Buffer.from([1]), randomBytes(8)),
    algorithm,
    nameOf(issuer.name),
    derValue(ASN1_TAG.sequence, timeOf(from), timeOf(until)),
    nameOf(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [derValue(EXTENSIONS_TAG, derValue(ASN1_TAG.sequence, ...extensions))] : []),
  );
  const signature = sign('sha256', body, issuer.privateKey);
  const certificateDer = derValue(
    ASN1_TAG.sequence,
    body,
    algorithm,
    derValue(ASN1_TAG.bits, Buffer.from([0]), signature),
  );
  const base64Lines = certificateDer.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...base64Lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function derValue(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
}

function encodeLength(length: number): number[] {
  if (length < LONG_LENGTH) return [length];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [LONG_LENGTH + bytes.length, ...bytes];
}

const objectIdentifier = (hex: string): Buffer => derValue(ASN1_TAG.oid, Buffer.from(hex, 'hex'));
const certificateExtension = (id: string, value: Buffer): Buffer =>
  derValue(ASN1_TAG.sequence, objectIdentifier(id), derValue(ASN1_TAG.octets, value));
const nameOf = (name: string): Buffer =>
  derValue(
    ASN1_TAG.sequence,
    derValue(
      ASN1_TAG.set,
      derValue(ASN1_TAG.sequence, objectIdentifier(COMMON_NAME), derValue(ASN1_TAG.text, Buffer.from(name))),
    ),
  );
// Two digits of the year, and no fractions of a second.
const timeOf = (time: Date): Buffer =>
  derValue(ASN1_TAG.time, Buffer.from(`${time.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));
