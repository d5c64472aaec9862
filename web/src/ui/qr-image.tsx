/**
 * A QR code from SVG markup that the server made. It is shown as a picture, not put into the page, so that nothing in it
 * can act. White ground, because scanners want it.
 * @param size classes of its maximum width
 */
export function QrImage({ svg, alt, size = 'max-w-60' }: { svg: string; alt: string; size?: string }) {
  return (
    <img
      src={`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`}
      alt={alt}
      width={240}
      height={240}
      className={`mx-auto aspect-square w-full rounded-md bg-paper p-3 ${size}`}
    />
  );
}
