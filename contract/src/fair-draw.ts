/**
 * Fair draw of the spin wheel, which anyone can verify. The server commits to a seed, the member chooses another, and
 * both decide together with the number of the spin. Pure arithmetic; the caller supplies the hash functions.
 *
 * A digest is HMAC-SHA256 of "clientSeed:nonce:cursor" under the bytes of the server's seed. Its four big-endian words
 * are tried in order. A word in the incomplete last round of all weights is skipped; the first other word decides. When
 * all four are skipped, the cursor, which starts at 0, is incremented.
 */
export type Weight = { code: string; weight: number };

/** A spin with its revealed seed, as the server reports it. */
export type SpinToVerify = {
  /** SHA-256 of the bytes of the server's seed, shown before the spin; hex. */
  commitment: string;
  /** 32 bytes, hex. */
  serverSeed: string;
  clientSeed: string;
  nonce: number;
  weights: readonly Weight[];
  /** Code of the slice that the server reported as the result. */
  code: string;
};

/** Hash functions of the platform: browser or server. */
export type Hashing = {
  sha256: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
  hmacSha256: (key: Uint8Array<ArrayBuffer>, message: string) => Promise<Uint8Array>;
};

const WORD_BYTES = 8;
const WORD_VALUES = 2n ** 64n;

/** The hashed text of the cursor-th digest of a spin. */
export const drawMessage = ({ clientSeed, nonce }: { clientSeed: string; nonce: number }, cursor: number): string =>
  `${clientSeed}:${nonce}:${cursor}`;

/**
 * Index of the slice that a digest selects; each slice is exactly as likely as its share of the weights.
 * @param weights integers from 0, not all 0
 * @returns undefined when every word is skipped: the next digest decides
 */
export function pickSlice(digest: Uint8Array, weights: readonly number[]): number | undefined {
  const total = sumOf(weights);
  const completeRounds = WORD_VALUES - (WORD_VALUES % total);
  const digestView = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  for (let offset = 0; offset + WORD_BYTES <= digest.byteLength; offset += WORD_BYTES) {
    const word = digestView.getBigUint64(offset);
    if (word >= completeRounds) continue;
    let remaining = word % total;
    for (const [index, weight] of weights.entries()) {
      if (remaining < BigInt(weight)) return index;
      remaining -= BigInt(weight);
    }
  }
  return undefined;
}

/** The server's seed, and the client's seed and nonce of a spin. */
export type DrawSeeds = { serverSeed: Uint8Array<ArrayBuffer>; clientSeed: string; nonce: number };

/** Index of the slice at which a spin stops. @param weights integers from 0, not all 0, with a sum below 2^64 */
export async function drawSlice(
  { serverSeed, ...seedsAndNonce }: DrawSeeds,
  weights: readonly number[],
  hmacSha256: Hashing['hmacSha256'],
): Promise<number> {
  for (let cursor = 0; ; cursor += 1) {
    const index = pickSlice(await hmacSha256(serverSeed, drawMessage(seedsAndNonce, cursor)), weights);
    if (index !== undefined) return index;
  }
}

/** The hashed text of a wheel version: codes and weights in order, one per line. */
export const weightsText = (weights: readonly Weight[]): string =>
  weights.map(({ code, weight }) => `${code} ${weight}\n`).join('');

export type FairnessVerdict = {
  /** Whether the revealed seed matches the commitment. */
  isSeedCommitted: boolean;
  /** Slice that the seeds and the number of the spin select; null for invalid input. */
  drawnCode: string | null;
  isProven: boolean;
};

/** Whether a revealed seed matches its commitment; both in hex. */
export async function isSeedOf(serverSeed: string, commitment: string, hashing: Hashing): Promise<boolean> {
  const seed = bytesOfHex(serverSeed);
  return seed !== undefined && hexOf(await hashing.sha256(seed)) === commitment;
}

/** Verifies a spin by repeating the draw. Input is untrusted: malformed input counts as not proven. */
export async function verifySpin(spin: SpinToVerify, hashing: Hashing): Promise<FairnessVerdict> {
  const seed = bytesOfHex(spin.serverSeed);
  const weights = spin.weights.map(({ weight }) => weight);
  if (!seed || !areValidWeights(weights)) return { isSeedCommitted: false, drawnCode: null, isProven: false };
  const isSeedCommitted = await isSeedOf(spin.serverSeed, spin.commitment, hashing);
  const index = await drawSlice({ ...spin, serverSeed: seed }, weights, hashing.hmacSha256);
  const drawnCode = spin.weights[index]?.code ?? null;
  return { isSeedCommitted, drawnCode, isProven: isSeedCommitted && drawnCode === spin.code };
}

const sumOf = (weights: readonly number[]): bigint => weights.reduce((total, weight) => total + BigInt(weight), 0n);

/** Up to this sum of weights at least every second word decides; above it words would never decide. */
const areValidWeights = (weights: readonly number[]): boolean =>
  weights.every((weight) => Number.isSafeInteger(weight) && weight >= 0) &&
  sumOf(weights) > 0n &&
  sumOf(weights) < WORD_VALUES;

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function bytesOfHex(hexText: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(hexText)) return undefined;
  return Uint8Array.from(hexText.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
