import { BALLS } from './symbols-balls.js';
import { CINEMA } from './symbols-cinema.js';
import { DEEP } from './symbols-deep.js';
import { JOKER } from './symbols-joker.js';
import { MARKET } from './symbols-market.js';
import { NAGA } from './symbols-naga.js';
import { ORCHARD } from './symbols-orchard.js';
import { RACHA } from './symbols-racha.js';
import { ROCKET } from './symbols-rocket.js';
import { CARDS, DICE } from './symbols-table.js';
import { TIGER } from './symbols-tiger.js';

/** The seven symbols of each game, by its code. */
export const SYMBOLS = {
  tiger: TIGER,
  market: MARKET,
  deep: DEEP,
  cards: CARDS,
  dice: DICE,
  balls: BALLS,
  joker: JOKER,
  naga: NAGA,
  racha: RACHA,
  cinema: CINEMA,
  orchard: ORCHARD,
  rocket: ROCKET,
};
