import { createHash } from 'node:crypto';

const key = createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 16);

/**
 * Abstract socket of this work tree's test processes. The leading zero byte makes a name without a file: binding is
 * atomic, and the name disappears with its process.
 */
export const CLUSTER_SOCKET_NAME = `\0krapao-test-cluster-${process.getuid?.() ?? 0}-${key}`;
