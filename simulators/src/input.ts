import type { z } from 'zod';
import { Refusal } from './refusal.ts';

/** Parses the input of one of the simulators' own interfaces. @throws Refusal `bad_input` that names the first wrong field */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new Refusal(400, 'bad_input', `${first?.path.join('.') || 'body'}: ${first?.message ?? 'is wrong'}`);
}
