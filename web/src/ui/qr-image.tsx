/**
 * A QR code from SVG markup of the server, displayed as an image so that nothing in it can execute. Scanners need the
 * white ground.
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
