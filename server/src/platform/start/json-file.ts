import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { CannotStart } from './cannot-start.ts';

/**
 * Reads a settings file. A missing file, malformed JSON or a wrong field is reported as a sentence that shows no value.
 */
export function readJsonFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CannotStart(
      missing ? `${path} is missing: start with \`npm start\`, which writes it.` : `${path} can't be read as JSON.`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`).join(', ');
  throw new CannotStart(`${path} is wrong at ${fields}.`);
}
