import type { z } from 'zod';
import { Refusal } from './refusal.ts';

/** Parses input of the simulators' own interfaces. @throws Refusal `bad_input` that names the first invalid field */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const firstIssue = result.error.issues[0];
  throw new Refusal(400, 'bad_input', `${firstIssue?.path.join('.') || 'body'}: ${firstIssue?.message ?? 'is wrong'}`);
}
