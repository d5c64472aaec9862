import { createHash } from 'node:crypto';

const key = createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 16);

/**
 * Where the test processes of this work tree meet. The leading zero byte makes it a name without a file: binding it is
 * atomic, and it is gone with its process, however that ends.
 */
export const MEETING_POINT = `\0krapao-test-cluster-${process.getuid?.() ?? 0}-${key}`;
