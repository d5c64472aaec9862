import { onSessionEnd } from '../../api/session.ts';

let last: string | undefined;
onSessionEnd(() => {
  last = undefined;
});

/** The way that was used last in this visit, to begin with the next time. */
export const lastWay = (): string | undefined => last;

export function rememberWay(id: string): void {
  last = id;
}
