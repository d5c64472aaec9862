import * as endpoints from '@krapao/contract/endpoints/deposit/slip';
import type { FastifyInstance } from 'fastify';
import { decodeExactly } from '../../../platform/crypto/secret-box.ts';
import { Refusal } from '../../../platform/errors.ts';
import { callerAddress } from '../../../platform/http/caller-address.ts';
import type { Member } from '../../../platform/http/caller.ts';
import { createAddressRewriter } from '../../../platform/http/requested-host.ts';
import { route } from '../../../platform/http/route.ts';
import type { UploadSlot } from '../../../platform/http/upload-admission.ts';
import { receiveForm } from '../../../platform/http/upload.ts';
import type { StoredObject } from '../../../platform/storage/port.ts';
import { selectSlipPage, findSlipByReference } from './queries.ts';
import { toWireSlip, type SlipDeps, IMAGE_URL_SECONDS, type Slip } from './slip.ts';
import { uploadSlip } from './upload-slip.ts';

/** Uploaded content is never executed or cached. */
const IMAGE_HEADERS = {
  'content-type': 'image/jpeg',
  'content-disposition': 'inline; filename="slip.jpg"',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** Endpoints of slips, and the signed URL of an image. */
export function slipRoutes(app: FastifyInstance, deps: SlipDeps): void {
  route(app, endpoints.uploadSlip, async ({ member, request }) => {
    const receive = (bytesMax: number, slot: UploadSlot) => receiveForm(request, { field: 'file', bytesMax, slot });
    const slip = await uploadSlip(deps, app.admitUpload, { member, group: callerAddress(request).group, receive });
    return { status: 200, body: { slip: toWireSlip(slip, null) } };
  });
  route(app, endpoints.listSlips, async ({ member, body }) => {
    const { total, slips, next } = await selectSlipPage(deps.database, member.id, body);
    const wireSlips = await Promise.all(slips.map(async (slip) => toWireSlip(slip, await storageLink(deps, slip))));
    return { status: 200, body: { total, slips: wireSlips, ...(next && { next }) } };
  });
  route(app, endpoints.getSlipPicture, async ({ member, params, request }) => ({
    status: 200,
    body: { url: createAddressRewriter(request)(await slipImageUrl(deps, member, params.reference)) },
  }));
  // Opened in a separate window, which sends no token: the URL itself is the proof.
  app.get<{ Params: { token: string } }>(
    '/api/slip-picture/:token',
    { config: { secretParams: ['token'] } },
    async ({ params, method }, reply) => {
      const image = await openSlipImage(deps, params.token);
      if (!image) throw new Refusal('NO_DATA', { detail: 'NO_PICTURE' });
      // Otherwise the framework would read all of it.
      if (method === 'HEAD') image.stream.destroy();
      return reply.headers({ ...IMAGE_HEADERS, 'content-length': image.bytes }).send(image.stream);
    },
  );
}

const SEAL_CONTEXT = 'slip-picture';
const CONTENT_TYPE = 'image/jpeg';

/**
 * A temporary URL of the image of a member's slip, valid for {@link IMAGE_URL_SECONDS} without a session.
 * @throws {Refusal} NO_DATA: no such slip or no image · INVALID_USER_3: another member's slip
 */
export async function slipImageUrl(deps: SlipDeps, member: Member, reference: string): Promise<string> {
  const slip = await findSlipByReference(deps.database, reference);
  if (!slip) throw new Refusal('NO_DATA');
  if (slip.memberId !== member.id) throw new Refusal('INVALID_USER_3');
  if (slip.imageKey === null) {
    throw new Refusal('NO_DATA', { detail: slip.state === 'RECEIVED' ? 'PICTURE_NOT_READY' : 'NO_PICTURE' });
  }
  return (await storageLink(deps, slip)) ?? `${deps.publicUrl}/api/slip-picture/${sealToken(deps, slip.imageKey)}`;
}

/** Signed URL of the storage; null when the storage has no signed URLs. */
export async function storageLink({ storage }: SlipDeps, { imageKey }: Slip): Promise<string | null> {
  if (imageKey === null) return null;
  return storage.link(imageKey, { seconds: IMAGE_URL_SECONDS, contentType: CONTENT_TYPE });
}

/** Image of a signed URL; undefined if the URL expired or is forged, or the image was deleted. */
export async function openSlipImage(deps: SlipDeps, token: string): Promise<StoredObject | undefined> {
  const key = openToken(deps, token);
  return key === undefined ? undefined : deps.storage.get(key);
}

function sealToken({ secretBox, clock }: SlipDeps, key: string): string {
  const expiresAtSeconds = Math.floor(clock.now().getTime() / 1000) + IMAGE_URL_SECONDS;
  return secretBox.seal(`${expiresAtSeconds} ${key}`, SEAL_CONTEXT).toString('base64url');
}

function openToken({ secretBox, clock }: SlipDeps, token: string): string | undefined {
  const sealed = decodeExactly(token, 'base64url');
  if (!sealed) return undefined;
  try {
    const [expiresAtSeconds, key] = secretBox.open(sealed, SEAL_CONTEXT).split(' ');
    return Number(expiresAtSeconds) * 1000 > clock.now().getTime() ? key : undefined;
  } catch {
    return undefined;
  }
}
