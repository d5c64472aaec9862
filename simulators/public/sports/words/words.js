import { en } from './words-en.js';
import { la } from './words-la.js';
import { th } from './words-th.js';

/** What the page says, in the languages that it speaks. */
export const WORDS = { th, la, en };
