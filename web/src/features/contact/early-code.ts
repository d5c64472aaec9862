import { onEarlyReply } from '../../api/early-reply.ts';
import type { Reply } from '../../api/types.ts';

/** Shows the QR code in its placeholder; markup of an image is left to the app. */
onEarlyReply<Reply<'GET /api/lookup/contact'>>('GET /api/lookup/contact ', ({ lineQR }) => {
  const picture = document.querySelector<HTMLImageElement>('[data-early-code]');
  if (!picture || !lineQR || lineQR.trimStart().startsWith('<')) return;
  picture.src = lineQR;
  picture.hidden = false;
});
