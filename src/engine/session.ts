// The doorway to ONNX Runtime: everything the rest of the engine knows of it is in this file.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, InferenceSession, listSupportedBackends, Tensor } from 'onnxruntime-node';
import { ArgumentError } from '../math/index.js';
import type { OnnxModel } from './onnx.js';
import { type DType, describeType, type TypedArray, type ValueType } from './types.js';
import type { Node } from './value.js';

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

/** Numbers with their type, on the way in or out. */
export interface Buffer extends ValueType {
  readonly data: TypedArray;
}
export type Buffers = Readonly<Record<string, Buffer>>;

/** One ONNX node of a profile: how often it ran and for how long in all. */
export interface NodeTime {
  readonly node: string;
  readonly opType: string;
  readonly calls: number;
  readonly milliseconds: number;
}

const tensorTypes: Record<DType, 'float32' | 'float64' | 'int64' | 'int32' | 'bool'> = {
  f32: 'float32',
  f64: 'float64',
  i64: 'int64',
  i32: 'int32',
  bool: 'bool',
};

// Errors reach the caller as exceptions; ONNX Runtime need not print them as well.
env.logLevel = 'fatal';

export class Session {
  readonly #native: InferenceSession;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #profileFolder: string | undefined;

  private constructor(native: InferenceSession, nodes: ReadonlyMap<string, Node>, profileFolder: string | undefined) {
    this.#native = native;
    this.#nodes = nodes;
    this.#profileFolder = profileFolder;
  }

  static async open({ bytes, folder, nodes }: OnnxModel, options: SessionOptions): Promise<Session> {
    const provider = options.provider ?? 'cpu';
    const known = listSupportedBackends().map(({ name }) => name);
    if (!known.includes(provider)) {
      throw new ArgumentError(`invalid provider: this build of ONNX Runtime has ${known.join(', ')}, got ${provider}`);
    }
    const profileFolder = options.profile ? await mkdtemp(join(tmpdir(), 'epsilens-profile-')) : undefined;
    try {
      const native = await InferenceSession.create(bytes, {
        executionProviders: [provider],
        intraOpNumThreads: options.threads ?? availableParallelism(),
        interOpNumThreads: 1,
        graphOptimizationLevel: 'basic',
        logSeverityLevel: 4,
        ...(profileFolder && { enableProfiling: true, profileFilePrefix: join(profileFolder, 'run') }),
        extra: {
          session: {
            disable_prepacking: options.weights === 'shared' ? '1' : '0',
            ...(folder && { model_external_initializers_file_folder_path: folder }),
          },
        },
      });
      return new Session(native, nodes, profileFolder);
    } catch (error) {
      throw translated(error, nodes);
    }
  }

  /** Runs once; results are written into the given buffers. */
  async run(inputs: Buffers, results: Buffers): Promise<void> {
    try {
      await this.#native.run(tensors(inputs), tensors(results));
    } catch (error) {
      throw translated(error, this.#nodes);
    }
  }

  /** Ends profiling and returns what it recorded. */
  async profile(): Promise<NodeTime[]> {
    if (this.#profileFolder === undefined) {
      throw new ArgumentError('profile: expected a program compiled with { profile: true }');
    }
    this.#native.endProfiling();
    const [file] = await readdir(this.#profileFolder);
    const events = JSON.parse(await readFile(join(this.#profileFolder, file as string), 'utf8')) as ProfileEvent[];
    return nodeTimes(events);
  }

  async close(): Promise<void> {
    await this.#native.release();
    if (this.#profileFolder !== undefined) await rm(this.#profileFolder, { recursive: true, force: true });
  }
}

const tensors = (buffers: Buffers) =>
  Object.fromEntries(
    Object.entries(buffers).map(([name, { dtype, shape, data }]) => [
      name,
      new Tensor(tensorTypes[dtype], data, shape),
    ]),
  );

interface ProfileEvent {
  readonly cat: string;
  readonly name: string;
  readonly dur: number;
  readonly args?: { readonly op_name?: string };
}

const kernelTime = '_kernel_time';

function nodeTimes(events: readonly ProfileEvent[]): NodeTime[] {
  const byNode = new Map<string, NodeTime>();
  for (const { cat, name, dur, args } of events) {
    if (cat !== 'Node' || !name.endsWith(kernelTime)) continue;
    const node = name.slice(0, -kernelTime.length);
    const sum = byNode.get(node) ?? { node, opType: args?.op_name ?? '', calls: 0, milliseconds: 0 };
    byNode.set(node, { ...sum, calls: sum.calls + 1, milliseconds: sum.milliseconds + dur / 1000 });
  }
  return [...byNode.values()].sort((a, b) => b.milliseconds - a.milliseconds);
}

/** ONNX Runtime names the node that failed; we say which of our operators that is, and where it was made. */
function translated(error: unknown, nodes: ReadonlyMap<string, Node>): Error {
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
