export { cacheFolder } from './cache-folder.js';
export { explainFileError, failedToBe } from './file-errors.js';
export {
  appendPrivate,
  makePrivateFolder,
  ownerOnly,
  readJsonObject,
  writeJson,
  writePrivate,
  writePrivateJson,
  writeWhole,
} from './files.js';
export { lockFile } from './lock.js';
export { availableMemory } from './memory.js';
export { defaultJobs, openProcessPool, serveTasks } from './process-pool.js';
export { openDatabase, type SqliteDatabase } from './sqlite.js';
