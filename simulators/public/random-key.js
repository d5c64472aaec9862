/** What no other call has: 128 random bits. (`crypto.randomUUID` is missing where a page came over plain http.) */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
