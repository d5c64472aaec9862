const IV_BYTES = 12;

/**
 * A gift link as the server takes it: base64 of a 12-byte iv, then the AES-256-GCM ciphertext with its tag; the key is the
 * SHA-256 of the secret, which everybody can read here and which protects nothing.
 */
export async function encryptLink(link: string, secret: string): Promise<string> {
  const text = new TextEncoder();
  const digest = await crypto.subtle.digest('SHA-256', text.encode(secret));
  const key = await crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt']);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text.encode(link)));
  return btoa(String.fromCharCode(...iv, ...sealed));
}
