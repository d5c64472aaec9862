import { z } from 'zod';

/** Fields of several sections of the outside file. docs/deploy/outside-file.md is generated from their descriptions. */
export const apiUrl = z
  .url()
  .meta({ description: 'Address of its API, without a slash at the end', examples: ['https://api.example.com'] });
export const timeoutMs = z
  .int()
  .positive()
  .max(60_000)
  .meta({ description: 'Longest wait for a reply, in ms, at most 60000', examples: [10_000] });
/** A note for operators. The simulators call it. */
export const callbackUrl = z.url().optional().meta({
  description: 'The callback address that was announced to it, as a note: the server does not read it',
});
/** Secret in the callback URL of a party that signs nothing. */
export const callbackKey = z.string().min(16).meta({
  description: 'Secret in the announced callback address, at least 16 characters: `openssl rand -hex 24`',
});

/** A credential or number that the party issues. */
export const issued = (description: string, example?: string): z.ZodString =>
  z.string().meta({ description, ...(example === undefined ? {} : { examples: [example] }) });

type Callback = { address: string; proof: string };

/** Describes a section. `callbacks`: addresses to announce to the party, and what proves that a call comes from it. */
export const section = (description: string, callbacks: readonly Callback[] = []) => ({ description, callbacks });

const KEY_PROOF = 'the key in the address (`callbackKey`)';

/** Describes the section of a gateway whose callbacks are authentic by a key in their address. */
export const keyedGateway = (name: string, description: string) =>
  section(description, [{ address: `/api/callback/${name}?key=CALLBACKKEY`, proof: KEY_PROOF }]);
