import { sealedGifts } from './modules/deposit/truelink/module.ts';
import { sealedPasswords } from './modules/game/module.ts';
import { sealedSeeds } from './modules/spinwheel/module.ts';
import type { SealedColumn } from './platform/crypto/reencrypt.ts';

/** Every column that is encrypted at rest. */
export const sealedColumns: readonly SealedColumn[] = [...sealedPasswords, sealedGifts, sealedSeeds];
