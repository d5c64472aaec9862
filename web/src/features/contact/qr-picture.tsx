import { QrImage } from '../../ui/qr-image.tsx';

/** The operator gives the QR as SVG markup or as the address of a picture. */
export function QrPicture({ source, alt }: { source: string; alt: string }) {
  if (source.trimStart().startsWith('<svg')) return <QrImage svg={source} alt={alt} />;
  return (
    <img
      src={source}
      alt={alt}
      width={240}
      height={240}
      className="mx-auto aspect-square w-full max-w-60 rounded-md bg-paper p-3"
    />
  );
}
