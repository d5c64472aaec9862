import { call } from '../../api/call.ts';
import { webAddress } from '../../web-address.ts';

/** The address of a picture, whole. @returns undefined when it is none that may be opened */
export const pictureAddress = (link: string): string | undefined => webAddress(link, location.href);

/** Asks where the picture of a slip can be seen. Throws what the call throws, or when the answer is no address. */
export async function pictureOf(reference: string): Promise<string> {
  const { url } = await call('GET /api/statement/slip/reference/{reference}', { params: { reference } });
  const address = pictureAddress(url);
  if (address === undefined) throw new Error('the slip has no picture that can be opened');
  return address;
}
