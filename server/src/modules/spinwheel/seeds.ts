import type { Sealed } from '../../platform/crypto/encryption.ts';
import type { SealedColumn } from '../../platform/crypto/reencrypt.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { randomBytesOf, uuidV7 } from '../../platform/ids.ts';
import { countHit } from '../operator-data/index.ts';
import { findSealedSeed, activateSeed, insertSeed, lockPurse, revealSeed, selectSeeds } from './queries.ts';
import { type SpinMember, type SpinwheelDeps, seedCommitment, type Seed } from './spinwheel.ts';

type SeedDeps = Pick<SpinwheelDeps, 'secretBox' | 'clock'>;

const SEED_BYTES = 32;
const CLIENT_SEED_BYTES = 8;

/** The member's current and next seed. Creates missing seeds, in the transaction that locks the member's purse. */
export async function readSeeds(tx: Tx, deps: SeedDeps, memberId: string): Promise<{ current: Seed; next: Seed }> {
  const existingSeeds = await selectSeeds(tx, memberId);
  const current = existingSeeds.current ?? (await createSeed(tx, deps, memberId, 'CURRENT'));
  const next = existingSeeds.next ?? (await createSeed(tx, deps, memberId, 'NEXT'));
  return { current, next };
}

/** Decrypts the server seed: 32 bytes, hex. Secret until it is revealed. */
export const openSeed = ({ secretBox }: Pick<SeedDeps, 'secretBox'>, { sealedSeed, id }: Seed): string =>
  secretBox.open(sealedSeed, id);

/** A value sealed by this module, for checking the encryption key; undefined without one. */
export async function sealedSample(on: Queryable): Promise<Sealed | undefined> {
  const seed = await findSealedSeed(on);
  return seed && { sealed: seed.sealedSeed, context: seed.id };
}

/** Sealed seeds, for re-encryption with a new key. */
export const sealedSeeds: SealedColumn = {
  table: 'spinwheel_seed',
  column: 'sealed_seed',
  key: [['id', 'uuid']],
  context: ([id = '']) => id,
  idle: 'true',
};

async function createSeed(
  tx: Tx,
  { secretBox, clock }: SeedDeps,
  memberId: string,
  state: 'CURRENT' | 'NEXT',
): Promise<Seed> {
  const id = uuidV7(clock.now());
  const serverSeed = randomBytesOf(SEED_BYTES).toString('hex');
  const seed = {
    id,
    commitment: seedCommitment(serverSeed),
    sealedSeed: secretBox.seal(serverSeed, id),
    clientSeed: randomBytesOf(CLIENT_SEED_BYTES).toString('hex'),
  };
  await insertSeed(tx, { ...seed, memberId, state });
  return { ...seed, nonce: 0 };
}

/**
 * Reveals the current seed and continues with the next seed and the client seed chosen by the member. Without a new
 * client seed the current one stays. No spin is drawn concurrently.
 * @throws REQUEST_LIMIT
 */
export async function rotateSeed(
  deps: SpinwheelDeps,
  { id }: SpinMember,
  clientSeed: string | undefined,
): Promise<{ revealed: { commitment: string; serverSeed: string }; current: Seed; next: Seed }> {
  await countHit(deps, 'spin-seed.member', id);
  return deps.database.tx(async (tx) => {
    await lockPurse(tx, id);
    const { current, next } = await readSeeds(tx, deps, id);
    const serverSeed = openSeed(deps, current);
    await revealSeed(tx, current.id, serverSeed);
    await activateSeed(tx, next.id, clientSeed ?? current.clientSeed);
    return { revealed: { commitment: current.commitment, serverSeed }, ...(await readSeeds(tx, deps, id)) };
  });
}
