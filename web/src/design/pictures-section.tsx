import { BankMark } from '../ui/art/bank-mark.tsx';
import { Logo } from '../ui/art/logo.tsx';
import { BannerCarousel } from '../ui/carousel/banner-carousel.tsx';
import { Card } from '../ui/card.tsx';
import type { Icon } from '../ui/icons/icon.tsx';
import * as memberIcons from '../ui/icons/member-icons.tsx';
import * as shellIcons from '../ui/icons/shell-icons.tsx';

const banks = [
  'KBANK',
  'SCB',
  'BBL',
  'KTB',
  'BAY',
  'TMB',
  'GSB',
  'BAAC',
  'UOB',
  'CIMB',
  'BCEL',
  'LDB',
  'WW',
  'FP',
  'PAYONEX',
  'WALLET',
  'XYZ',
];
const banners = ['invite', 'refund'].map((name) => ({
  image: `/banners/${name}-1.svg`,
  html: `<h3>${name}</h3><p>0.5%</p>`,
}));
const icons: [string, Icon][] = Object.entries({ ...shellIcons, ...memberIcons });

export function PicturesSection() {
  return (
    <Card title="Pictures">
      <div className="flex flex-wrap gap-3">
        <Logo className="size-20" />
        {banks.map((code) => (
          <BankMark key={code} code={code} />
        ))}
      </div>
      <div className="mt-4 max-w-md">
        <BannerCarousel label="Banners" banners={banners} />
      </div>
      <div className="mt-4 grid grid-cols-4 gap-4 sm:grid-cols-8">
        {icons.map(([name, Shape]) => (
          <figure key={name} className="flex flex-col items-center text-xs text-faint">
            <Shape className="size-8 text-ivory" />
            <figcaption>{name.replace('Icon', '')}</figcaption>
          </figure>
        ))}
      </div>
    </Card>
  );
}
