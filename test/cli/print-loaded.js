// For `node --import`: writes the address of every module that is loaded to stderr.

import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export function load(url, context, next) {
  writeSync(2, `${url}\n`);
  return next(url, context);
}
