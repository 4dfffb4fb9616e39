// For `node --import`: behaves as if the packages named in HIDDEN_PACKAGES were not installed, for import and require.

import Module, { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const hidden = (process.env.HIDDEN_PACKAGES ?? '').split(',').filter((name) => name !== '');
const isHidden = (request) => hidden.some((name) => request === name || request.startsWith(`${name}/`));

function missing(request) {
  return Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
}

if (isMainThread) {
  register(import.meta.url);
  const original = Module._resolveFilename;
  Module._resolveFilename = function resolveFilename(request, ...rest) {
    if (isHidden(request)) throw missing(request);
    return original.call(this, request, ...rest);
  };
}

export function resolve(request, context, next) {
  if (isHidden(request)) throw missing(request);
  return next(request, context);
}
