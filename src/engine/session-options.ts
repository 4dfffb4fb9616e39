// What can be chosen for a session, and what both runtimes derive from it.

import { availableParallelism, totalmem } from 'node:os';
import { ArgumentError } from '../checks/index.js';
import type { RuntimeName } from './runtime.js';

/** How a program computes. None of these changes what it computes, up to rounding. */
export interface SessionOptions {
  /** Threads for one operator; by default `EPSILENS_THREADS`, else one per core. */
  readonly threads?: number;
  /** An execution provider of ONNX Runtime, in any case; `cpu` by default. */
  readonly provider?: string;
  /**
   * `packed`: constants are copied once into the layout that matrix products prefer, which is fastest.
   * `shared`: they are read where they lie, so that several programs and processes share one copy in memory.
   * Default: `packed`, unless the weights in files take more than an eighth of the machine's memory.
   */
  readonly weights?: 'packed' | 'shared';
  /** Records how long each operator takes; see `Program.profile`. Off by default. */
  readonly profile?: boolean;
  /** Which way to ONNX Runtime is taken; by default `EPSILENS_RUNTIME`, else `native` where it can be loaded. */
  readonly runtime?: RuntimeName;
}

/** As many threads as asked for, as EPSILENS_THREADS says, or one per core. */
export function threadsOf({ threads }: SessionOptions): number {
  if (threads !== undefined) return threads;
  const given = Number(process.env.EPSILENS_THREADS);
  return Number.isSafeInteger(given) && given >= 1 ? given : availableParallelism();
}

/** Whether weights of this many bytes are packed if nobody says so: each program that is open would have a copy of its own. */
export const usualWeights = (bytes: number, memory = totalmem()): 'packed' | 'shared' =>
  bytes > memory / 8 ? 'shared' : 'packed';

/** The session settings of ONNX Runtime that are pairs of words. `folder` is where weight files lie. */
export function configEntries({ weights }: SessionOptions, folder: string | undefined): Record<string, string> {
  return {
    ...(weights === 'shared' ? { disable_prepacking: '1' } : {}),
    ...(folder === undefined ? {} : { model_external_initializers_file_folder_path: folder }),
  };
}

/** The provider in the runtime's spelling. */
export function findProvider(provider: string, known: readonly string[]): string {
  const name = known.find((candidate) => candidate.toLowerCase() === provider.toLowerCase());
  if (name === undefined) {
    throw new ArgumentError(`invalid provider: this build of ONNX Runtime has ${known.join(', ')}, got ${provider}`);
  }
  return name;
}

export const unusableProvider = (name: string, error: unknown): ArgumentError =>
  new ArgumentError(`provider ${name} cannot be used here: ${error instanceof Error ? error.message : error}`);
