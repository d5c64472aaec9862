import type { Queryable } from '../../platform/database.ts';
import { markAskedAgain, selectManual } from './queries.ts';

/** Gift links that wait for an operator, oldest first. */
export const stuckGifts = (on: Queryable): Promise<{ reference: string; memberId: string }[]> => selectManual(on);

/** Has the wallet app asked again what became of one. @returns false when none of that reference waits */
export const askAboutGift = (on: Queryable, reference: string): Promise<boolean> => markAskedAgain(on, reference);
