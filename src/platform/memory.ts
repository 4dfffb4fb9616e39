// How much memory is left, for estimates before something large is loaded.

import { freemem } from 'node:os';

/** Bytes that this process can still take without swapping, within the limits of its container. */
export const availableMemory = (): number => process.availableMemory?.() ?? freemem();
