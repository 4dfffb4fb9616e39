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
export { cachedSnapshots } from './hub/hub-cache.js';
export { hubAdvice, isHubRepository, isHubSource } from './hub/hub-name.js';
export { type DownloadProgress, type HubRepository, openHubRepository } from './hub/hub-repository.js';
export { HubError } from './hub/hub-request.js';
export { hubSettings } from './hub/hub-settings.js';
export { lockFile } from './lock.js';
export { availableMemory } from './memory.js';
export { defaultJobs, openProcessPool, serveTasks } from './process-pool.js';
export { openDatabase, type SqliteDatabase } from './sqlite.js';
