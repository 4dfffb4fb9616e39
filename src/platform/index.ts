export { cacheFolder } from './cache-folder.js';
export { readJsonObject, writeJson, writeWhole } from './files.js';
export { lockFile } from './lock.js';
export { defaultJobs, openProcessPool, serveTasks } from './process-pool.js';
export { openDatabase, type SqliteDatabase } from './sqlite.js';
