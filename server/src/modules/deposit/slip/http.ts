import * as endpoints from '@krapao/contract/endpoints/deposit/slip';
import type { FastifyInstance } from 'fastify';
import { createAddressRewriter } from '../../../platform/http/requested-host.ts';
import { callerAddress } from '../../../platform/http/caller-address.ts';
import { route } from '../../../platform/http/route.ts';
import { receiveFile } from '../../../platform/http/upload.ts';
import type { UploadSlot } from '../../../platform/http/upload-admission.ts';
import { Refusal } from '../../../platform/errors.ts';
import { selectPage, findByReference } from './queries.ts';
import { toWireSlip, type SlipDeps, LINK_SECONDS, type Slip } from './slip.ts';
import { uploadSlip } from './upload-slip.ts';
import type { Member } from '../../../platform/http/caller.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';

/** A picture is shown and nothing else: what might be in it runs nowhere, and it is not cached. */
const PICTURE_HEADERS = {
  'content-type': 'image/jpeg',
  'content-disposition': 'inline; filename="slip.jpg"',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** The member's calls, and the address under which a picture is seen. */
export function slipRoutes(app: FastifyInstance, deps: SlipDeps): void {
  route(app, endpoints.uploadSlip, async ({ member, request }) => {
    const receive = (bytesMax: number, slot: UploadSlot) => receiveFile(request, { field: 'file', bytesMax, slot });
    const slip = await uploadSlip(deps, app.admitUpload, { member, group: callerAddress(request).group, receive });
    return { status: 200, body: { slip: toWireSlip(slip, null) } };
  });
  route(app, endpoints.listSlips, async ({ member, body }) => {
    const { total, slips } = await selectPage(deps.database, member.id, body);
    const shown = await Promise.all(slips.map(async (slip) => toWireSlip(slip, await storageLink(deps, slip))));
    return { status: 200, body: { total, slips: shown } };
  });
  route(app, endpoints.getSlipPicture, async ({ member, params, request }) => ({
    status: 200,
    body: { url: createAddressRewriter(request)(await slipImageUrl(deps, member, params.reference)) },
  }));
  // Opened by a browser in a window of its own, which sends no token: the address itself is the proof.
  app.get<{ Params: { token: string } }>(
    '/api/slip-picture/:token',
    { config: { secretParams: ['token'] } },
    async ({ params }, reply) => {
      const picture = await openSlipImage(deps, params.token);
      if (!picture) throw new Refusal('NO_DATA', { detail: 'NO_PICTURE' });
      return reply.headers({ ...PICTURE_HEADERS, 'content-length': picture.bytes }).send(picture.stream);
    },
  );
}

const CONTEXT = 'slip-picture';
const CONTENT_TYPE = 'image/jpeg';

/**
 * A temporary address of the picture of a member's slip, valid for some minutes without a session.
 * @throws {Refusal} NO_DATA: no such slip, or nothing to be seen of it · INVALID_USER_3: another member's
 */
export async function slipImageUrl(deps: SlipDeps, member: Member, reference: string): Promise<string> {
  const slip = await findByReference(deps.database, reference);
  if (!slip) throw new Refusal('NO_DATA');
  if (slip.memberId !== member.id) throw new Refusal('INVALID_USER_3');
  if (slip.pictureKey === null) {
    throw new Refusal('NO_DATA', { detail: slip.state === 'RECEIVED' ? 'PICTURE_NOT_READY' : 'NO_PICTURE' });
  }
  return (await storageLink(deps, slip)) ?? `${deps.publicUrl}/api/slip-picture/${seal(deps, slip.pictureKey)}`;
}

/** The address that the storage itself has for a picture. */
export async function storageLink({ storage }: SlipDeps, { pictureKey }: Slip): Promise<string | null> {
  if (pictureKey === null) return null;
  return storage.link(pictureKey, { seconds: LINK_SECONDS, contentType: CONTENT_TYPE });
}

/** The picture that an address stands for; undefined when the address is over, made up, or the picture is gone. */
export async function openSlipImage(deps: SlipDeps, token: string): Promise<StoredObject | undefined> {
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
