import { onEarlyReply } from '../../api/early-reply.ts';
import type { Reply } from '../../api/types.ts';
import { isImageSource } from '../../format/web-address.ts';

/** Shows the banners of the bonuses in the placeholders of their cards, which have the same size. */
onEarlyReply<Reply<'GET /api/bonus'>>('GET /api/bonus ', (bonuses) => {
  const pictures = document.querySelectorAll<HTMLImageElement>('[data-early-banner]');
  for (const [index, picture] of pictures.entries()) {
    const bonus = bonuses[index];
    if (!bonus) continue;
    const banner = bonus.banners.find(({ image }) => image)?.image;
    picture.src = isImageSource(banner) ? banner : `/art/bonus/${bonus.type}.svg`;
  }
});
