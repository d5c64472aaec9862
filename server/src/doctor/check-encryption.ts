import type { Database } from '../platform/database/database.ts';
import type { EncryptionKeys } from '../platform/crypto/encryption-key.ts';
import { countUnderOtherKeys, type SealedColumn } from '../platform/crypto/reencrypt.ts';
import { createSecretBox } from '../platform/crypto/secret-box.ts';
import { type Finding, findingsOf } from './finding.ts';

/** A rotation of the encryption key that has begun: what is still encrypted with another key than the present one. */
export async function checkEncryption(
  database: Database,
  { encryptionKey, otherEncryptionKeys }: EncryptionKeys,
  columns: readonly SealedColumn[],
): Promise<Finding[]> {
  const { good, warning } = findingsOf('encryption at rest');
  const others = otherEncryptionKeys.length;
  // Without another key every text has to be read for nothing: the server refuses to start with a wrong one.
  if (others === 0) return [good('There is one key.')];
  const secretBox = createSecretBox(encryptionKey, otherEncryptionKeys);
  let left = 0;
  for (const column of columns) left += await countUnderOtherKeys(database, secretBox, column);
  return [
    left > 0
      ? warning(
          `A rotation of the key is under way: ${left} texts are encrypted with another key than the present one.`,
          'npm run reencrypt, once every node has the present key (docs/deploy/keys.md).',
        )
      : warning(
          `The secrets file has ${others} more key${others > 1 ? 's' : ''}, and nothing is encrypted with ${others > 1 ? 'them' : 'it'}.`,
          'If the rotation is over, take them out of otherEncryptionKeys and restart the nodes (docs/deploy/keys.md).',
        ),
  ];
}
