// What can be chosen for a session, and telling ONNX Runtime so.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import type { OnnxModel } from './onnx.js';
import { availableProviders, call, create, type Pointer, release } from './onnxruntime.js';

export interface SessionOptions {
  /** Threads for one operator; by default one per core. */
  readonly threads?: number;
  /** An execution provider of ONNX Runtime, `cpu` by default. */
  readonly provider?: string;
  /**
   * `packed`: copied once into the layout that products like best (fastest).
   * `shared`: read where they lie, so that several programs and processes share one copy in memory.
   */
  readonly weights?: 'packed' | 'shared';
  /** Record how long each operator takes; see Program.profile. */
  readonly profile?: boolean;
}

/** Errors reach the caller as exceptions, so ONNX Runtime logs nothing. */
export const silent = 4;

export function configure(
  native: Pointer,
  { folder }: OnnxModel,
  options: SessionOptions,
  profileFolder?: string,
): void {
  const optimizeNothing = 0; // our own passes have done it, and its fusions undo some of them
  call('SetSessionLogSeverityLevel', native, silent);
  call('SetSessionGraphOptimizationLevel', native, optimizeNothing);
  call('SetIntraOpNumThreads', native, options.threads ?? defaultThreads());
  call('SetInterOpNumThreads', native, 1);
  const setting = (key: string, value: string) => call('AddSessionConfigEntry', native, `session.${key}`, value);
  if (options.weights === 'shared') setting('disable_prepacking', '1');
  if (folder !== undefined) setting('model_external_initializers_file_folder_path', folder);
  if (profileFolder !== undefined) call('EnableProfiling', native, join(profileFolder, 'run'));
  if (options.provider !== undefined) addProvider(native, options.provider);
}

/** As many as there are cores, or what EPSILENS_THREADS says. */
function defaultThreads(): number {
  const given = Number(process.env.EPSILENS_THREADS);
  return Number.isSafeInteger(given) && given >= 1 ? given : availableParallelism();
}

function addProvider(native: Pointer, provider: string): void {
  const known = availableProviders();
  const name = known.find((candidate) => candidate.toLowerCase() === provider.toLowerCase());
  if (name === undefined) {
    throw new ArgumentError(`invalid provider: this build of ONNX Runtime has ${known.join(', ')}, got ${provider}`);
  }
  try {
    if (name === 'CUDA') addCuda(native);
    else if (name !== 'CPU')
      call('SessionOptionsAppendExecutionProvider', native, `${name}ExecutionProvider`, null, null, 0);
  } catch (error) {
    throw new ArgumentError(`provider ${name} cannot be used here: ${error instanceof Error ? error.message : error}`);
  }
}

/** CUDA has options of its own kind. */
function addCuda(native: Pointer): void {
  const cuda = create('CreateCUDAProviderOptions');
  try {
    call('SessionOptionsAppendExecutionProvider_CUDA_V2', native, cuda);
  } finally {
    release('ReleaseCUDAProviderOptions', cuda);
  }
}
