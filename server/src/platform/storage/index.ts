import type { ObjectStorageConfig as Settings } from '../config.ts';
import type { Clock } from '../time.ts';
import { fileStorage } from './file-storage.ts';
import type { ObjectStorage } from './port.ts';
import { s3Storage } from './s3-storage.ts';

/** Opens the storage of the configuration. */
export function openStorage(settings: Settings, clock: Clock): ObjectStorage {
  return settings.kind === 's3' ? s3Storage(settings) : fileStorage(settings.directory, clock);
}
