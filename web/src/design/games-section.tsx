import { Amount } from '../ui/text/amount.tsx';
import { GameArt } from '../ui/art/game-art.tsx';
import { Card } from '../ui/card.tsx';
import { Carousel3D } from '../ui/carousel/carousel-3d.tsx';

const games = [
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
        items={games}
        keyOf={({ code }) => code}
        nameOf={({ code }) => code}
        renderCard={({ code, category, src }, place) => (
          <button
            type="button"
            {...place}
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
