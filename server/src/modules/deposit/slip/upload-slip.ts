import { SLIP_BYTES_MAX } from '@krapao/contract/constants';
import { imageFormatOf, SLIP_IMAGE_FORMATS } from '@krapao/contract/input/image';
import { Refusal } from '../../../platform/errors.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { NoUploadSlot, type UploadAdmission, type UploadSlot } from '../../../platform/http/upload-admission.ts';
import { type ReceivedForm, type UploadError, UploadFailed } from '../../../platform/http/upload.ts';
import { newReference, uuidV7 } from '../../../platform/ids.ts';
import { type Folder, type ObjectStorage, StorageUnavailable, sweepObjects } from '../../../platform/storage/port.ts';
import { countShared, isOpenAt } from '../../operator-data/index.ts';
import { countPendingSlips, insertFile, insertSlip, deleteFile, selectOrphans } from './queries.ts';
import type { Slip, SlipDeps } from './slip.ts';

/** Maximum number of pending slips of one member. */
const OPEN_SLIPS_MAX = 20;
const MEGABYTE = 1024 * 1024;

export type SlipUpload = {
  member: Member;
  /** Address group by which rate limits are counted. */
  group: string;
  /** Reads the form, its file up to this many bytes; throws UploadFailed, NoUploadSlot. */
  receive: (bytesMax: number, slot: UploadSlot) => Promise<ReceivedForm>;
};

/**
 * Stores the image of a slip and its row. Every check that needs no file comes before the file is received. The list of
 * slips shows the outcome.
 * @throws {Refusal} SLIP_UPLOAD_FAIL, REQUEST_LIMIT, REQUEST_LIMIT_1MIN, NO_WALLET, SLIP_NO_FILE, SLIP_INVALID_FILE,
 *   NO_PROMOTION (the chosen bonus)
 */
export async function uploadSlip(deps: SlipDeps, admit: UploadAdmission, upload: SlipUpload): Promise<Slip> {
  const { member, group } = upload;
  const operatorData = await deps.readOperatorData();
  if (operatorData.isStopped('deposit.slip')) throw new Refusal('SLIP_UPLOAD_FAIL', { detail: 'STOPPED' });
  const { closedFrom, closedTo, maxMB } = operatorData.setting('slip');
  if (!isOpenAt(deps.clock.now(), closedFrom, closedTo)) {
    throw new Refusal('SLIP_UPLOAD_FAIL', { detail: `CLOSED_${closedFrom}-${closedTo}` });
  }
  await deps.account.assertWalletOpen(member.id);
  const { file, fields } = await admit({ kind: 'member', id: member.id, group }, async (slot) => {
    // Counted only with a slot: retries while waiting for a slot do not use up the daily quota.
    await countUpload(deps, upload);
    return upload.receive(Math.min(maxMB * MEGABYTE, SLIP_BYTES_MAX), slot);
  }).catch((error: unknown) => {
    if (error instanceof UploadFailed || error instanceof NoUploadSlot) throw toRefusal(error);
    throw error;
  });
  const type = imageFormatOf(file);
  if (!type || !SLIP_IMAGE_FORMATS.includes(type)) throw new Refusal('SLIP_INVALID_FILE', { detail: 'FILE_TYPE' });
  const bonusCode = await deps.bonusChoice.check(member.currency, fields.get('bonus') ?? '');
  const slip = await storeSlip(deps, member, { file, bonusCode });
  deps.wakeResolver();
  return slip;
}

async function countUpload(deps: SlipDeps, upload: SlipUpload): Promise<void> {
  const { member, group } = upload;
  const memberLimits = ['slip.member', 'slip.member.day'] as const;
  await countShared(deps, { own: memberLimits, callerKey: member.id, shared: 'slip.address', group });
  if ((await countPendingSlips(deps.database, member.id)) >= OPEN_SLIPS_MAX) {
    throw new Refusal('REQUEST_LIMIT', { detail: 'SLIPS_IN_PROGRESS', retryAfterSeconds: 60 });
  }
}

const UPLOAD_REFUSALS = {
  NO_FILE: ['SLIP_NO_FILE', 'FILE'],
  MALFORMED: ['SLIP_NO_FILE', 'MALFORMED'],
  SEVERAL: ['SLIP_INVALID_FILE', 'ONE_FILE'],
  TOO_LARGE: ['SLIP_INVALID_FILE', 'TOO_LARGE'],
  TOO_SLOW: ['SLIP_UPLOAD_FAIL', 'TOO_SLOW'],
  BROKEN_OFF: ['SLIP_UPLOAD_FAIL', 'BROKEN_OFF'],
} as const satisfies Record<UploadError, unknown>;
const BUSY_REFUSAL = ['SLIP_UPLOAD_FAIL', 'BUSY'] as const;

function toRefusal(error: UploadFailed | NoUploadSlot): Refusal {
  if (error instanceof NoUploadSlot) {
    const [code, detail] = error.why === 'OWN' ? (['REQUEST_LIMIT', 'UPLOADS_AT_ONCE'] as const) : BUSY_REFUSAL;
    return new Refusal(code, { detail, retryAfterSeconds: 5, cause: error });
  }
  const [code, detail] = UPLOAD_REFUSALS[error.fault];
  return new Refusal(code, { detail, cause: error });
}

// Order: key in the database, object, slip row. After a crash in between, the sweep finds an object without a slip. A
// slip without its file can't occur.
async function storeSlip(
  { database, storage, clock, log }: SlipDeps,
  member: Member,
  { file, bonusCode }: { file: Buffer; bonusCode: string | null },
): Promise<Slip> {
  const id = uuidV7(clock.now());
  const uploadKey = `slip-upload/${uuidV7(clock.now())}.bin`;
  await insertFile(database, uploadKey);
  const folder = await putUpload(storage, uploadKey, file).catch((error: unknown) => {
    if (!(error instanceof StorageUnavailable)) throw error;
    log.error({ err: error }, 'slip upload refused, storage away');
    throw new Refusal('SLIP_UPLOAD_FAIL', { detail: 'STORAGE', retryAfterSeconds: 30, cause: error });
  });
  const reference = `S${newReference(14)}`;
  return insertSlip(database, {
    id,
    memberId: member.id,
    reference,
    currency: member.currency,
    uploadKey,
    folderId: folder?.id ?? null,
    bonusCode,
  });
}

async function putUpload(storage: ObjectStorage, key: string, bytes: Buffer): Promise<Folder | undefined> {
  await storage.put(key, bytes, 'application/octet-stream');
  return storage.folder();
}

/** Longer than any upload takes. */
const LEFTOVER_AGE_MS = 60 * 60_000;

/** Deletes partially written files and objects without a slip, left by a crash or a full disk. */
export async function sweepFiles(
  { database, storage, log }: Pick<SlipDeps, 'database' | 'storage' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await storage.sweep(LEFTOVER_AGE_MS);
  await sweepObjects({
    storage,
    select: (limit, offset) => selectOrphans(database, LEFTOVER_AGE_MS, { limit, offset }),
    forget: (key) => deleteFile(database, key),
    log,
    signal,
  });
}
