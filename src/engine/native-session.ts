// Sessions on ONNX Runtime's C interface. They compute on another thread, read inputs and write results where they lie.

import type { OnnxModel } from './onnx.js';
import {
  addressOf,
  availableProviders,
  call,
  callAside,
  create,
  libraryVersion,
  nativeList,
  nativeText,
  type Pointer,
  release,
} from './onnxruntime-native.js';
import { onnxType } from './ops/elementwise.js';
import type { Buffers, Runtime, RuntimeSession, TensorBuffer } from './runtime.js';
import { configEntries, findProvider, type SessionOptions, threadsOf, unusableProvider } from './session-options.js';

/** Runs shorter than this many milliseconds are not worth handing to another thread. */
const shortRun = 1;

/** Errors reach the caller as exceptions, so ONNX Runtime logs nothing. */
const silent = 4;

let environment: Pointer | undefined;
let cpuMemory: Pointer | undefined;

/** Loads the library; throws one sentence if it cannot be used. */
export function loadNative(): Runtime {
  return { name: 'native', version: libraryVersion(), open };
}

/** One environment for all sessions, made at first use. */
function startRuntime(): { environment: Pointer; cpuMemory: Pointer } {
  const arena = 1;
  if (environment === undefined) {
    environment = create('CreateEnv', silent, 'epsilens');
    call('DisableTelemetryEvents', environment);
  }
  cpuMemory ??= create('CreateCpuMemoryInfo', arena, 0);
  return { environment, cpuMemory };
}

async function open(model: OnnxModel, options: SessionOptions, profilePrefix?: string): Promise<RuntimeSession> {
  const { environment } = startRuntime();
  const settings = create('CreateSessionOptions');
  try {
    configure(settings, model, options, profilePrefix);
    const behind = addArrays(settings, model.arrays);
    const made: [Pointer | null] = [null];
    await callAside('CreateSessionFromArray', [environment, model.bytes, model.bytes.length, settings, made], behind);
    return sessionOver(made[0] as Pointer);
  } finally {
    release('ReleaseSessionOptions', settings);
  }
}

function sessionOver(session: Pointer): RuntimeSession {
  let lastTime = Number.POSITIVE_INFINITY;
  return {
    /** On another thread unless the last run was short. */
    async run(inputs, results) {
      const [from, to] = [side(inputs), side(results)];
      const { length: few } = from.tensors;
      const { length: many } = to.tensors;
      const start = performance.now();
      try {
        const args = [session, null, from.pointers, from.tensors, few, to.pointers, many, to.tensors];
        if (lastTime < shortRun) call('Run', ...args);
        else await callAside('Run', args, [from, to]);
      } finally {
        lastTime = performance.now() - start;
        for (const tensor of [...from.tensors, ...to.tensors]) release('ReleaseValue', tensor);
      }
    },
    endProfiling() {
      const allocator = create('GetAllocatorWithDefaultOptions');
      call('AllocatorFree', allocator, create('SessionEndProfiling', session, allocator));
    },
    async close() {
      release('ReleaseSession', session);
    },
  };
}

function configure(settings: Pointer, { folder }: OnnxModel, options: SessionOptions, profilePrefix?: string): void {
  const optimizeNothing = 0; // our own passes have done it, and its fusions undo some of them
  call('SetSessionLogSeverityLevel', settings, silent);
  call('SetSessionGraphOptimizationLevel', settings, optimizeNothing);
  call('SetIntraOpNumThreads', settings, threadsOf(options));
  call('SetInterOpNumThreads', settings, 1);
  for (const [key, value] of Object.entries(configEntries(options, folder))) {
    call('AddSessionConfigEntry', settings, `session.${key}`, value);
  }
  if (profilePrefix !== undefined) call('EnableProfiling', settings, profilePrefix);
  if (options.provider !== undefined) addProvider(settings, options.provider);
}

function addProvider(settings: Pointer, provider: string): void {
  const name = findProvider(provider, availableProviders());
  try {
    if (name === 'CUDA') addCuda(settings);
    else if (name !== 'CPU') {
      call('SessionOptionsAppendExecutionProvider', settings, `${name}ExecutionProvider`, null, null, 0);
    }
  } catch (error) {
    throw unusableProvider(name, error);
  }
}

/** CUDA takes an options object of its own. */
function addCuda(settings: Pointer): void {
  const cuda = create('CreateCUDAProviderOptions');
  try {
    call('SessionOptionsAppendExecutionProvider_CUDA_V2', settings, cuda);
  } finally {
    release('ReleaseCUDAProviderOptions', cuda);
  }
}

/** Names and values in the form that C expects. */
function side(buffers: Buffers) {
  const names = Object.keys(buffers).map((name) => nativeText(name, 'name'));
  return {
    buffers,
    names,
    pointers: nativeList(names.map(addressOf)),
    tensors: nativeList(Object.values(buffers).map(asTensor)),
  };
}

/** Hands large constants over; returns what the addresses point to. */
function addArrays(settings: Pointer, arrays: OnnxModel['arrays']): unknown[] {
  const names = Object.keys(arrays).map((name) => nativeText(name, 'path'));
  if (names.length === 0) return [];
  const data = Object.values(arrays);
  const lists = [names.map(addressOf), data.map(addressOf), data.map(({ byteLength }) => BigInt(byteLength))].map(
    nativeList,
  );
  call('AddExternalInitializersFromFilesInMemory', settings, ...lists, names.length);
  return [names, data, lists];
}

/** A native tensor that uses the array's own memory. */
function asTensor({ dtype, shape, data }: TensorBuffer): Pointer {
  const { cpuMemory } = startRuntime();
  const dims = nativeList(shape.map(BigInt));
  const place = addressOf(data);
  return create(
    'CreateTensorWithDataAsOrtValue',
    cpuMemory,
    place,
    data.byteLength,
    dims,
    dims.length,
    onnxType[dtype],
  );
}
