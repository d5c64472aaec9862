/** Reads QR codes out of pictures. */

const LONGEST = 1600;
const SCALES = [1, 0.5, 0.75, 1.5];

function load(blob) {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error('not a picture'));
    image.src = url;
  }).finally(() => setTimeout(() => URL.revokeObjectURL(url), 10_000));
}

/** The text of the QR code in a picture, or undefined. Several sizes are tried, because small and huge codes read badly. */
export async function readPicture(blob) {
  const image = await load(blob).catch(() => undefined);
  if (!image) return undefined;
  const [width, height] = [image.naturalWidth || 800, image.naturalHeight || 800];
  const fit = Math.min(1, LONGEST / Math.max(width, height));
  for (const scale of SCALES) {
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * fit * scale));
    canvas.height = Math.max(1, Math.round(height * fit * scale));
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
    const found = globalThis.jsQR(pixels.data, canvas.width, canvas.height);
    if (found?.data) return found.data;
  }
  return undefined;
}

/** What the clipboard holds: a picture's code or a text, or undefined. */
export async function readClipboard() {
  const items = await navigator.clipboard.read();
  for (const item of items) {
    const type = item.types.find((one) => one.startsWith('image/'));
    if (type) return { code: await readPicture(await item.getType(type)) };
    if (item.types.includes('text/plain')) return { text: (await (await item.getType('text/plain')).text()).trim() };
  }
  return {};
}
