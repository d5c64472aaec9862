/**
 * QR code from the server's SVG markup. Rendered as an image, so that scripts in the SVG can't run. The white
 * background is needed for scanning.
 * @param size class names of its maximum width
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
