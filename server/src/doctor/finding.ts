/** The result of one check. `fault`: money or service is at risk now; `warning`: it will be or might be. */
export type Finding =
  | { level: 'good'; check: string; sentence: string }
  | { level: 'warning' | 'fault'; check: string; sentence: string; remedy: string };

/** Functions that create findings of a check, one for each level. */
export function createFindingFactory(check: string): {
  good: (sentence: string) => Finding;
  warning: (sentence: string, remedy: string) => Finding;
  fault: (sentence: string, remedy: string) => Finding;
} {
  return {
    good: (sentence) => ({ level: 'good', check, sentence }),
    warning: (sentence, remedy) => ({ level: 'warning', check, sentence, remedy }),
    fault: (sentence, remedy) => ({ level: 'fault', check, sentence, remedy }),
  };
}

/** Commands with which an operator edits and applies a subject of the configuration. */
export const configEditCommands = (subject: string): string =>
  `krapao config show ${subject} > FILE, edit it, krapao config apply ${subject} FILE NAME WHY.`;

const SECONDS_OF = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** A duration for people: `3 d`, `2 h`, `15 min`, `4 s`. */
export function formatDuration(seconds: number): string {
  const [unit, size] = SECONDS_OF.find(([, length]) => seconds >= length) ?? (['s', 1] as const);
  return `${Math.floor(seconds / size)} ${unit}`;
}

const MEGABYTE = 1024 ** 2;
const GIGABYTE = 1024 ** 3;

/** A size for people: `96 MB`, `1.4 GB`. */
export const formatSize = (bytes: number): string =>
  bytes < GIGABYTE ? `${Math.floor(bytes / MEGABYTE)} MB` : `${Math.floor((bytes / GIGABYTE) * 10) / 10} GB`;
