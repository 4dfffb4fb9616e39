// Compiles a graph into a program and runs it.

import { createHash } from 'node:crypto';
import { ArgumentError } from '../checks/index.js';
import { inputName, type OnnxModel, outputName, serialize } from './onnx.js';
import { optimize } from './passes/index.js';
import type { NodeTime } from './profile.js';
import type { TensorBuffer } from './runtime.js';
import { Session } from './session.js';
import { type SessionOptions, usualWeights } from './session-options.js';
import { sizeOf } from './shape.js';
import { arrayTypes, describeType, type TypedArray, type ValueType } from './types.js';
import { describeArray, emptyLike, inOrder, type Node, type Value } from './value.js';

/** How a program is compiled and computes. */
export interface CompileOptions extends SessionOptions {
  /** Whether the graph is rewritten first (default). Turn it off only to test the passes. */
  readonly optimize?: boolean;
}

/** One array per input, by name; not copied, so leave it alone while a run is under way. */
export type Feeds = Readonly<Record<string, TypedArray>>;

/** One operator of a profile, with the label it was built under. */
export interface OpTime extends NodeTime {
  readonly label: string;
}

/**
 * Compiles values into a program that computes them from its inputs. Programs of equal graphs and options share one
 * session. Close the program when done: the garbage collector does not see its native memory.
 */
export async function compile<Name extends string>(
  outputs: Readonly<Record<Name, Value>>,
  options: CompileOptions = {},
): Promise<Program<Name>> {
  const names = Object.keys(outputs) as Name[];
  if (names.length === 0) throw new ArgumentError('compile: expected at least one output, got none');
  const asked = names.map((name) => outputs[name]);
  const inputs = inputTypes(asked);
  const values =
    options.optimize === false ? asked : await optimize(asked, (constants) => evaluate(constants, options));
  const named = Object.fromEntries(names.map((name, index) => [name, values[index] as Value]));
  const { weights = usualWeights(fileBytes(values)) } = options;
  const shared = await openShared(serialize(named), { ...options, weights });
  return new Program(shared, inputs, inputTypes(values), named as Record<Name, Value>);
}

/** Computes values that depend on no input. */
export async function evaluate(
  values: readonly Value[],
  { runtime }: Pick<CompileOptions, 'runtime'> = {},
): Promise<TypedArray[]> {
  const named = Object.fromEntries(values.map((value, index) => [`${index}`, value]));
  const program = await compile(named, { optimize: false, threads: 1, ...(runtime && { runtime }) });
  try {
    const results = await program.run({});
    return values.map((_, index) => results[`${index}`] as TypedArray);
  } finally {
    await program.close();
  }
}

/** A compiled graph: run it any number of times, then close it. */
export class Program<Name extends string = string> {
  /** Types of the inputs, which every run must be given, and of the outputs. */
  readonly inputs: Readonly<Record<string, ValueType>>;
  readonly outputs: Readonly<Record<Name, ValueType>>;
  readonly #shared: SharedSession;
  readonly #used: Readonly<Record<string, ValueType>>;
  #closed = false;

  constructor(
    shared: SharedSession,
    inputs: Readonly<Record<string, ValueType>>,
    used: Readonly<Record<string, ValueType>>,
    outputs: Readonly<Record<Name, ValueType>>,
  ) {
    this.#shared = shared;
    this.inputs = inputs;
    this.#used = used;
    this.outputs = outputs;
  }

  /** Size of the serialised graph in bytes, without weights in files. */
  get bytes(): number {
    return this.#shared.bytes;
  }

  /** Number of operators after all passes. */
  get nodes(): number {
    return this.#shared.nodes.size;
  }

  /** Computes the outputs. Those with a buffer in `into` are written there, all others into new arrays. */
  async run(feeds: Feeds, into: { readonly [Key in Name]?: TypedArray } = {}): Promise<Record<Name, TypedArray>> {
    if (this.#closed) throw new ArgumentError('run: the program is closed');
    checkNames('input', feeds, this.inputs);
    checkNames('output', into, this.outputs);
    const given: Record<string, TensorBuffer> = {};
    for (const [name, type] of Object.entries(this.inputs)) {
      const buffer = checked(`input ${name}`, type, feeds[name]);
      if (name in this.#used) given[inputName(name)] = buffer;
    }
    const results: Record<string, TensorBuffer> = {};
    const arrays: Partial<Record<Name, TypedArray>> = {};
    for (const [name, type] of Object.entries(this.outputs) as [Name, ValueType][]) {
      const data = into[name] ?? emptyLike(type);
      results[outputName(name)] = checked(`buffer ${name}`, type, data);
      arrays[name] = data;
    }
    checkApart(given, results);
    await (await this.#shared.session).run(given, results);
    return arrays as Record<Name, TypedArray>;
  }

  /** Time per operator so far, longest first; ends the recording. Needs { profile: true }. */
  async profile(): Promise<OpTime[]> {
    const times = await (await this.#shared.session).profile();
    return times.map((time) => ({ ...time, label: this.#shared.nodes.get(time.node)?.label ?? '' }));
  }

  /** Waits for runs under way and frees native memory. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await closeShared(this.#shared);
  }
}

/** Bytes of the constants that lie in files. */
function fileBytes(values: readonly Value[]): number {
  const counted = new Map<string, number>();
  for (const { source, shape } of inOrder(values)) {
    if (source?.kind === 'file') counted.set(`${source.path} ${source.offset}`, 4 * sizeOf(shape));
  }
  return [...counted.values()].reduce((sum, bytes) => sum + bytes, 0);
}

function inputTypes(values: readonly Value[]): Record<string, ValueType> {
  const found = new Map<string, Value>();
  for (const value of inOrder(values)) {
    if (value.source?.kind !== 'input') continue;
    const { name } = value.source;
    if (found.has(name)) throw new ArgumentError(`compile: expected one input named ${name}, got two`);
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function checkNames(what: string, given: object, known: object): void {
  const stranger = Object.keys(given).find((name) => !(name in known));
  if (stranger === undefined) return;
  const names = Object.keys(known).join(', ') || 'none';
  throw new ArgumentError(`run: unknown ${what} ${stranger}, expected ${names}`);
}

function checked(what: string, type: ValueType, data: TypedArray | undefined): TensorBuffer {
  if (data === undefined) throw new ArgumentError(`run: missing ${what}, expected ${describeType(type)}`);
  if (!(data instanceof arrayTypes[type.dtype]) || data.length !== sizeOf(type.shape)) {
    throw new ArgumentError(`run: ${what}: expected ${describeType(type)}, got ${describeArray(data)}`);
  }
  return { dtype: type.dtype, shape: type.shape, data };
}

/** Results are written while inputs are still being read, so they must not share memory. */
function checkApart(
  inputs: Readonly<Record<string, TensorBuffer>>,
  results: Readonly<Record<string, TensorBuffer>>,
): void {
  const places = new Map<ArrayBufferLike, { name: string; start: number; end: number }[]>();
  const entries = [...Object.entries(inputs), ...Object.entries(results)];
  for (const [index, [name, { data }]] of entries.entries()) {
    const [start, end] = [data.byteOffset, data.byteOffset + data.byteLength];
    const others = places.get(data.buffer) ?? [];
    const isResult = index >= Object.keys(inputs).length;
    const clash = isResult ? others.find((other) => start < other.end && other.start < end) : undefined;
    if (clash) throw new ArgumentError(`run: ${name} and ${clash.name} share memory, expected arrays of their own`);
    places.set(data.buffer, [...others, { name, start, end }]);
  }
}

// Sessions by the hash of graph and options, with the number of programs that use each.

interface SharedSession {
  readonly key: string;
  readonly session: Promise<Session>;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly bytes: number;
  users: number;
}
const sessions = new Map<string, SharedSession>();

async function openShared(model: OnnxModel, options: CompileOptions): Promise<SharedSession> {
  const { threads, provider, weights, profile, runtime } = options;
  // A profile belongs to one program, so its session is not shared.
  const settings = JSON.stringify([
    threads,
    provider,
    weights,
    runtime,
    model.folder,
    model.stamps,
    profile && ++profiles,
  ]);
  const key = createHash('sha256').update(settings).update(model.bytes).digest('hex');
  const { nodes, bytes } = model;
  const shared = sessions.get(key) ?? {
    key,
    session: Session.open(model, options),
    nodes,
    bytes: bytes.length,
    users: 0,
  };
  shared.users += 1;
  sessions.set(key, shared);
  try {
    await shared.session;
  } catch (error) {
    sessions.delete(key);
    throw error;
  }
  return shared;
}
let profiles = 0;

async function closeShared(shared: SharedSession): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) return;
  sessions.delete(shared.key);
  await (await shared.session).close();
}
