import * as endpoints from '@krapao/contract/endpoints/deposit/slip';
import type { FastifyInstance } from 'fastify';
import { addressRewriterOf } from '../../../platform/http/caller/requested-host.ts';
import { callerOf } from '../../../platform/http/caller/caller-address.ts';
import { route } from '../../../platform/http/registrar.ts';
import { receiveFile } from '../../../platform/http/upload/upload.ts';
import type { UploadSlot } from '../../../platform/http/upload/upload-admission.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { selectPage } from './queries.ts';
import { addressOfPicture, linkOf, openPicture } from './show-picture.ts';
import { toWireSlip } from './slip.ts';
import type { SlipDeps } from './slip-deps.ts';
import { uploadSlip } from './upload-slip.ts';

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
    const slip = await uploadSlip(deps, app.admitUpload, { member, group: callerOf(request).group, receive });
    return { status: 200, body: { slip: toWireSlip(slip, null) } };
  });
  route(app, endpoints.listSlips, async ({ member, body }) => {
    const { total, slips } = await selectPage(deps.database, member.id, body);
    const shown = await Promise.all(slips.map(async (slip) => toWireSlip(slip, await linkOf(deps, slip))));
    return { status: 200, body: { total, slips: shown } };
  });
  route(app, endpoints.getSlipPicture, async ({ member, params, request }) => ({
    status: 200,
    body: { url: addressRewriterOf(request)(await addressOfPicture(deps, member, params.reference)) },
  }));
  // Opened by a browser in a window of its own, which sends no token: the address itself is the proof.
  app.get<{ Params: { token: string } }>(
    '/api/slip-picture/:token',
    { config: { secretParams: ['token'] } },
    async ({ params }, reply) => {
      const picture = await openPicture(deps, params.token);
      if (!picture) throw new Refusal('NO_DATA', { detail: 'NO_PICTURE' });
      return reply.headers({ ...PICTURE_HEADERS, 'content-length': picture.bytes }).send(picture.stream);
    },
  );
}
