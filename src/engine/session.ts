// A session of ONNX Runtime: everything the rest of the engine knows of it is in this file.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import type { OnnxModel } from './onnx.js';
import {
  addressOf,
  call,
  callAside,
  create,
  nativeList,
  nativeText,
  type Pointer,
  readText,
  release,
} from './onnxruntime.js';
import { onnxType } from './ops/elementwise.js';
import { type NodeTime, readProfile } from './profile.js';
import { configure, type SessionOptions, silent } from './session-options.js';
import { describeType, type TypedArray, type ValueType } from './types.js';
import type { Node } from './value.js';

/** Numbers with their type, on the way in or out. */
export interface TensorBuffer extends ValueType {
  readonly data: TypedArray;
}
export type Buffers = Readonly<Record<string, TensorBuffer>>;

/** Runs of less than this many milliseconds are not worth handing to another thread. */
const shortRun = 1;

let environment: Pointer | undefined;
let cpuMemory: Pointer | undefined;

/** One for all sessions, made at first use. */
function startRuntime(): { environment: Pointer; cpuMemory: Pointer } {
  const arena = 1;
  if (environment === undefined) {
    environment = create('CreateEnv', silent, 'epsilens');
    call('DisableTelemetryEvents', environment);
  }
  cpuMemory ??= create('CreateCpuMemoryInfo', arena, 0);
  return { environment, cpuMemory };
}

export class Session {
  readonly #native: Pointer;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #profileFolder: string | undefined;
  readonly #running = new Set<Promise<void>>();
  #lastTime = Number.POSITIVE_INFINITY;

  private constructor(native: Pointer, nodes: ReadonlyMap<string, Node>, profileFolder: string | undefined) {
    this.#native = native;
    this.#nodes = nodes;
    this.#profileFolder = profileFolder;
  }

  static async open(model: OnnxModel, options: SessionOptions): Promise<Session> {
    const { environment } = startRuntime();
    const profileFolder = options.profile ? await mkdtemp(join(tmpdir(), 'epsilens-profile-')) : undefined;
    const native = create('CreateSessionOptions');
    try {
      configure(native, model, options, profileFolder);
      const behind = addArrays(native, model.arrays);
      const made: [Pointer | null] = [null];
      await callAside('CreateSessionFromArray', [environment, model.bytes, model.bytes.length, native, made], behind);
      return new Session(made[0] as Pointer, model.nodes, profileFolder);
    } catch (error) {
      await removeFolder(profileFolder);
      throw translated(error, model.nodes);
    } finally {
      release('ReleaseSessionOptions', native);
    }
  }

  /** Runs once, on another thread unless it is short; results are written into the given buffers. */
  async run(inputs: Buffers, results: Buffers): Promise<void> {
    const run = this.#run(inputs, results);
    this.#running.add(run);
    try {
      await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async #run(inputs: Buffers, results: Buffers): Promise<void> {
    const [from, to] = [side(inputs), side(results)];
    const { length: few } = from.tensors;
    const { length: many } = to.tensors;
    const start = performance.now();
    try {
      const args = [this.#native, null, from.pointers, from.tensors, few, to.pointers, many, to.tensors];
      if (this.#lastTime < shortRun) call('Run', ...args);
      else await callAside('Run', args, [from, to]);
    } catch (error) {
      throw translated(error, this.#nodes);
    } finally {
      this.#lastTime = performance.now() - start;
      for (const tensor of [...from.tensors, ...to.tensors]) release('ReleaseValue', tensor);
    }
  }

  /** Ends profiling and returns what it recorded. */
  async profile(): Promise<NodeTime[]> {
    if (this.#profileFolder === undefined) {
      throw new ArgumentError('profile: expected a program compiled with { profile: true }');
    }
    const allocator = create('GetAllocatorWithDefaultOptions');
    const name = create('SessionEndProfiling', this.#native, allocator);
    const file = readText(name);
    call('AllocatorFree', allocator, name);
    return readProfile(file);
  }

  /** Waits for what is running. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    release('ReleaseSession', this.#native);
    await removeFolder(this.#profileFolder);
  }
}

/** Names and values in the form that C takes. */
function side(buffers: Buffers) {
  const names = Object.keys(buffers).map((name) => nativeText(name, 'name'));
  return {
    buffers,
    names,
    pointers: nativeList(names.map(addressOf)),
    tensors: nativeList(Object.values(buffers).map(asTensor)),
  };
}

async function removeFolder(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** Hands large constants over; returns what lies behind the addresses. */
function addArrays(native: Pointer, arrays: OnnxModel['arrays']): unknown[] {
  const names = Object.keys(arrays).map((name) => nativeText(name, 'path'));
  if (names.length === 0) return [];
  const data = Object.values(arrays);
  const lists = [names.map(addressOf), data.map(addressOf), data.map(({ byteLength }) => BigInt(byteLength))].map(
    nativeList,
  );
  call('AddExternalInitializersFromFilesInMemory', native, ...lists, names.length);
  return [names, data, lists];
}

/** A native tensor over the array's own memory. */
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

/** ONNX Runtime names the node that failed; we say which of our operators that is, and where it was made. */
function translated(error: unknown, nodes: ReadonlyMap<string, Node>): Error {
  if (error instanceof ArgumentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const name = /Name:'([^']*)'|[Nn]ode \(([^)]*)\)|Node:(\S+)/.exec(message)?.slice(1).find(Boolean);
  const node = name === undefined ? undefined : nodes.get(name);
  if (node === undefined) return new Error(`ONNX Runtime: ${message}`, { cause: error });
  const where = node.label === '' ? '' : ` in ${node.label}`;
  const reason = message.replace(/^.*Status Message: /s, '').trim();
  return new Error(`${node.op.name}${where} (${describeType(node.outputs[0] as ValueType)}): ${reason}`, {
    cause: error,
  });
}
