// The cache folder on every platform.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder } from '../../src/platform/index.js';

const home = (...path: string[]) => join(homedir(), ...path);

describe('the cache folder', () => {
  it.each([
    ['linux', {}, home('.cache', 'epsilens')],
    ['linux', { XDG_CACHE_HOME: '/var/cache/me' }, join('/var/cache/me', 'epsilens')],
    // The specification says that relative and empty paths are ignored.
    ['linux', { XDG_CACHE_HOME: 'cache' }, home('.cache', 'epsilens')],
    ['linux', { XDG_CACHE_HOME: '' }, home('.cache', 'epsilens')],
    ['freebsd', { XDG_CACHE_HOME: '/c' }, join('/c', 'epsilens')],
    ['darwin', {}, home('Library', 'Caches', 'epsilens')],
    ['darwin', { XDG_CACHE_HOME: '/c' }, home('Library', 'Caches', 'epsilens')],
    ['win32', {}, home('AppData', 'Local', 'epsilens', 'Cache')],
    ['win32', { LOCALAPPDATA: '' }, home('AppData', 'Local', 'epsilens', 'Cache')],
    ['win32', { LOCALAPPDATA: '/local' }, join('/local', 'epsilens', 'Cache')],
  ] as const)('on %s with %j is %s', (platform, env, folder) => {
    expect(cacheFolder(env, platform)).toBe(folder);
  });

  it.each(['linux', 'darwin', 'win32'] as const)('is the requested one on %s, made absolute', (platform) => {
    const elsewhere = { XDG_CACHE_HOME: '/c', LOCALAPPDATA: '/l' };
    expect(cacheFolder({ ...elsewhere, EPSILENS_CACHE: '/own' }, platform)).toBe(resolve('/own'));
    expect(cacheFolder({ ...elsewhere, EPSILENS_CACHE: 'own' }, platform)).toBe(resolve('own'));
    expect(cacheFolder({ EPSILENS_CACHE: '' }, platform)).toBe(cacheFolder({}, platform));
  });
});
