import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The folder for files that can be computed again: EPSILENS_CACHE, or a folder in the platform's own cache. */
export function cacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { EPSILENS_CACHE: own, LOCALAPPDATA: local, XDG_CACHE_HOME: xdg } = env;
  if (own) return resolve(own);
  if (platform === 'win32') return join(local || join(homedir(), 'AppData', 'Local'), 'epsilens', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'epsilens');
  // The XDG specification says to ignore relative paths.
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'), 'epsilens');
}
