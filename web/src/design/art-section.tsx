import { Amount } from '../ui/amount.tsx';
import { BankMark } from '../ui/art/bank-mark.tsx';
import { BannerCarousel } from '../ui/art/banner-carousel.tsx';
import { Carousel3D } from '../ui/carousel/carousel-3d.tsx';
import { GameArt } from '../ui/carousel/game-art.tsx';
import { Card } from '../ui/core/card.tsx';
import * as shellIcons from '../ui/core/icons.tsx';
import type { Icon } from '../ui/core/icons.tsx';
import { Logo } from '../ui/core/logo.tsx';
import * as memberIcons from '../ui/data/member-icons.tsx';

const exampleGames = [
  { code: 'pg', category: 'slot', src: '/art/games/pg.svg' },
  { code: 'askmebet', category: 'sport', src: '/art/games/askmebet.svg' },
  { code: 'reels', category: 'slot', src: '' },
  { code: 'pitch', category: 'sport', src: '' },
  { code: 'balls', category: 'lotto', src: '' },
];

export function GamesSection() {
  return (
    <Card title="Carousel3D, GameArt">
      <Carousel3D
        label="Games"
        items={exampleGames}
        keyOf={({ code }) => code}
        nameOf={({ code }) => code}
        renderCard={({ code, category, src }, position) => (
          <button
            type="button"
            {...position}
            className="relative block size-full overflow-hidden rounded-lg text-left shadow-high ring-1 ring-gold/40"
          >
            <GameArt category={category} src={src} className="absolute inset-0 size-full" />
            <span className="absolute inset-x-4 bottom-3">
              <span className="block text-lg font-semibold">{code.toUpperCase()}</span>
              <Amount value={1234.5} className="text-gold-lit" withSign />
            </span>
          </button>
        )}
      />
    </Card>
  );
}

const bankCodes = [
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
const { icon: _, ...coreIcons } = shellIcons;
const icons: [string, Icon][] = Object.entries({ ...coreIcons, ...memberIcons });

export function ImagesSection() {
  return (
    <Card title="Pictures">
      <div className="flex flex-wrap gap-3">
        <Logo className="size-20" />
        {bankCodes.map((code) => (
          <BankMark key={code} code={code} />
        ))}
      </div>
      <div className="mt-4 max-w-md">
        <BannerCarousel label="Banners" banners={banners} />
      </div>
      <div className="mt-4 grid grid-cols-4 gap-4 sm:grid-cols-8">
        {icons.map(([name, IconShape]) => (
          <figure key={name} className="flex flex-col items-center text-xs text-faint">
            <IconShape className="size-8 text-ivory" />
            <figcaption>{name.replace('Icon', '')}</figcaption>
          </figure>
        ))}
      </div>
    </Card>
  );
}
