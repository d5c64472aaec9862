export {
  type ConfigDeps,
  findVersion,
  listSubjects,
  readNewestVersion,
  previewDocument,
  publishDocument,
  recordChange,
  readHistory,
} from './admin.ts';
export { readSeedState } from './seed-state.ts';
export { type ConfigInventory, type ConfigVersion, findSubject, type PublishResult } from './config.ts';
