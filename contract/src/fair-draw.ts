/**
 * How a spin of the spin wheel is drawn, so that anyone can verify it: the server commits to a seed, the member chooses
 * another, and both together with the number of the spin decide. Pure arithmetic; the caller supplies the hash
 * functions.
 *
 * A digest is HMAC-SHA256 of "clientSeed:nonce:cursor" under the bytes of the server's seed. Its four big-endian words
 * are tried in order: a word in the incomplete last round of all weights is skipped, the first other one decides. When all
 * four are skipped, the cursor, which begins at 0, is incremented.
 */
export type Weight = { code: string; weight: number };

/** A spin as the server reports it once its seed is revealed. */
export type SpinToVerify = {
  /** SHA-256 of the bytes of the server's seed, as it was shown before the spin; hex. */
  commitment: string;
  /** 32 bytes, hex. */
  serverSeed: string;
  clientSeed: string;
  nonce: number;
  weights: readonly Weight[];
  /** Code of the slice that the spin is claimed to have stopped at. */
  code: string;
};

/** SHA-256 and HMAC-SHA256 of the platform: browser or server. */
export type Hashing = {
  sha256: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
  hmacSha256: (key: Uint8Array<ArrayBuffer>, message: string) => Promise<Uint8Array>;
};

const WORD_BYTES = 8;
const WORDS = 2n ** 64n;

/** The text that is hashed for the cursor-th digest of a spin. */
export const drawMessage = ({ clientSeed, nonce }: { clientSeed: string; nonce: number }, cursor: number): string =>
  `${clientSeed}:${nonce}:${cursor}`;

/**
 * The index of the slice that a digest selects; each slice is exactly as likely as its share of the weights.
 * @param weights whole numbers from 0, not all 0
 * @returns undefined when every word is skipped: the next digest decides
 */
export function pickSlice(digest: Uint8Array, weights: readonly number[]): number | undefined {
  const total = sumOf(weights);
  const completeRounds = WORDS - (WORDS % total);
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  for (let at = 0; at + WORD_BYTES <= digest.byteLength; at += WORD_BYTES) {
    const word = view.getBigUint64(at);
    if (word >= completeRounds) continue;
    let left = word % total;
    for (const [index, weight] of weights.entries()) {
      if (left < BigInt(weight)) return index;
      left -= BigInt(weight);
    }
  }
  return undefined;
}

/** A seed of the server with the member's part of a spin. */
export type DrawSeeds = { serverSeed: Uint8Array<ArrayBuffer>; clientSeed: string; nonce: number };

/** The index of the slice at which a spin stops. @param weights whole numbers from 0, not all 0, with a sum below 2^64 */
export async function drawSlice(
  { serverSeed, ...spin }: DrawSeeds,
  weights: readonly number[],
  hmacSha256: Hashing['hmacSha256'],
): Promise<number> {
  for (let cursor = 0; ; cursor += 1) {
    const index = pickSlice(await hmacSha256(serverSeed, drawMessage(spin, cursor)), weights);
    if (index !== undefined) return index;
  }
}

/** The text that the hash of a wheel version is computed from: its codes and weights in their order, one per line. */
export const weightsText = (weights: readonly Weight[]): string =>
  weights.map(({ code, weight }) => `${code} ${weight}\n`).join('');

export type FairnessVerdict = {
  /** Whether the revealed seed matches the commitment. */
  isSeedCommitted: boolean;
  /** The slice that the seeds and the number of the spin select; null when they can't select any. */
  drawnCode: string | null;
  isProven: boolean;
};

/** Whether a revealed seed matches its commitment. Both as hex. */
export async function isSeedOf(serverSeed: string, commitment: string, hashing: Hashing): Promise<boolean> {
  const seed = bytesOfHex(serverSeed);
  return seed !== undefined && hexOf(await hashing.sha256(seed)) === commitment;
}

/** Verifies a spin by drawing it again. Input is untrusted: malformed input is not proven. */
export async function verifySpin(spin: SpinToVerify, hashing: Hashing): Promise<FairnessVerdict> {
  const seed = bytesOfHex(spin.serverSeed);
  const weights = spin.weights.map(({ weight }) => weight);
  if (!seed || !areWeights(weights)) return { isSeedCommitted: false, drawnCode: null, isProven: false };
  const isSeedCommitted = await isSeedOf(spin.serverSeed, spin.commitment, hashing);
  const index = await drawSlice({ ...spin, serverSeed: seed }, weights, hashing.hmacSha256);
  const drawnCode = spin.weights[index]?.code ?? null;
  return { isSeedCommitted, drawnCode, isProven: isSeedCommitted && drawnCode === spin.code };
}

const sumOf = (weights: readonly number[]): bigint => weights.reduce((sum, weight) => sum + BigInt(weight), 0n);

/** Up to this sum of weights at least every second word decides; past it none would. */
const areWeights = (weights: readonly number[]): boolean =>
  weights.every((weight) => Number.isSafeInteger(weight) && weight >= 0) &&
  sumOf(weights) > 0n &&
  sumOf(weights) < WORDS;

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
