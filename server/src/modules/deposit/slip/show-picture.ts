import type { Member } from '../../../platform/http/caller/member.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { findByReference } from './queries.ts';
import { LINK_SECONDS, type Slip } from './slip.ts';
import type { SlipDeps } from './slip-deps.ts';

const CONTEXT = 'slip-picture';
const CONTENT_TYPE = 'image/jpeg';

/**
 * A temporary address of the picture of a member's slip, valid for some minutes without a session.
 * @throws {Refusal} NO_DATA: no such slip, or nothing to be seen of it · INVALID_USER_3: another member's
 */
export async function addressOfPicture(deps: SlipDeps, member: Member, reference: string): Promise<string> {
  const slip = await findByReference(deps.database, reference);
  if (!slip) throw new Refusal('NO_DATA');
  if (slip.memberId !== member.id) throw new Refusal('INVALID_USER_3');
  if (slip.pictureKey === null) {
    throw new Refusal('NO_DATA', { detail: slip.state === 'RECEIVED' ? 'PICTURE_NOT_READY' : 'NO_PICTURE' });
  }
  return (await linkOf(deps, slip)) ?? `${deps.publicUrl}/api/slip-picture/${seal(deps, slip.pictureKey)}`;
}

/** The address that the storage itself has for a picture. */
export async function linkOf({ storage }: SlipDeps, { pictureKey }: Slip): Promise<string | null> {
  if (pictureKey === null) return null;
  return storage.link(pictureKey, { seconds: LINK_SECONDS, contentType: CONTENT_TYPE });
}

/** The picture that an address stands for; undefined when the address is over, made up, or the picture is gone. */
export async function openPicture(deps: SlipDeps, token: string): Promise<StoredObject | undefined> {
  const key = unseal(deps, token);
  return key === undefined ? undefined : deps.storage.get(key);
}

function seal({ secretBox, clock }: SlipDeps, key: string): string {
  const endsAt = Math.floor(clock.now().getTime() / 1000) + LINK_SECONDS;
  return secretBox.seal(`${endsAt} ${key}`, CONTEXT).toString('base64url');
}

function unseal({ secretBox, clock }: SlipDeps, token: string): string | undefined {
  try {
    const [endsAt, key] = secretBox.open(Buffer.from(token, 'base64url'), CONTEXT).split(' ');
    return Number(endsAt) * 1000 > clock.now().getTime() ? key : undefined;
  } catch {
    return undefined;
  }
}
