import type { z } from 'zod';

/** The programs that read a setting: the API server, `npm start`, operator commands, the simulated outside. */
type EnvironmentReader = 'server' | 'start' | 'commands' | 'simulators';

/** One environment variable. `tools/checks/settings.mjs` generates docs/deploy/settings.md from these. */
export type EnvironmentSetting = {
  schema: z.ZodType;
  /** End of the sentence "NAME must …" that reports an invalid value. */
  must: string;
  /** Effect of the setting, as a sentence without a full stop. */
  what: string;
  readBy: readonly EnvironmentReader[];
  /** The setting holds a secret, or a URL that may hold one: an invalid value is not printed. */
  secret?: true;
  unit?: string;
  /** Default in words, if it is not a value or depends on the machine. */
  defaultText?: string;
};
