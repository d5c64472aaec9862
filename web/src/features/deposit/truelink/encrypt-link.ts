const IV_BYTES = 12;

/**
 * A gift link as the server takes it: base64 of a 12-byte iv, then the AES-256-GCM ciphertext with its tag; the key is the
 * SHA-256 of the secret, which is public here and protects nothing.
 */
export async function encryptLink(link: string, secret: string): Promise<string> {
  const text = new TextEncoder();
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await seal({ secret: text.encode(secret), iv, words: text.encode(link) });
  return btoa(String.fromCharCode(...iv, ...sealed));
}

type Bytes = Uint8Array<ArrayBuffer>;
type Sealing = { secret: Bytes; iv: Bytes; words: Bytes };

async function seal({ secret, iv, words }: Sealing): Promise<Uint8Array> {
  // Browsers encrypt only where the page came over https, or from this machine.
  if (globalThis.crypto.subtle === undefined) return (await import('./seal-in-script.ts')).seal(secret, iv, words);
  const digest = await crypto.subtle.digest('SHA-256', secret);
  const key = await crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt']);
  return new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, words));
}
