// The doorway to ONNX's file format: a graph as the bytes of a model.

import { dirname, relative, sep } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType as AttributeType,
  TensorProto_DataLocation as DataLocation,
  ModelProtoSchema,
} from 'onnx-buf';
import { onnxType } from './ops/elementwise.js';
import { sizeOf } from './shape.js';
import { bytesPerElement, type DType, type Shape, type TypedArray, type ValueType } from './types.js';
import { inOrder, type Lowered, type Node, type Value } from './value.js';

const irVersion = 10n;
const opsets = [
  { domain: '', version: 21n },
  { domain: 'com.microsoft', version: 1n },
];

/**
 * Larger constants are handed over beside the graph instead of inside it, which saves copying them several times. Graphs
 * with weights in files are the exception: once it is given arrays, ONNX Runtime looks for all files among them.
 */
const largestInside = 1 << 14; // bytes

export interface OnnxModel {
  readonly bytes: Uint8Array;
  /** The folder that weight files lie under, and marks that change when the files do. */
  readonly folder: string | undefined;
  readonly stamps: string;
  /** Large constants, by the file name under which the graph refers to them. */
  readonly arrays: Readonly<Record<string, TypedArray>>;
  /** The engine's node for each ONNX node name. */
  readonly nodes: ReadonlyMap<string, Node>;
}

export function serialize(outputs: Readonly<Record<string, Value>>): OnnxModel {
  const order = inOrder(Object.values(outputs));
  const folder = commonFolder(order);
  const nodes = new Map<string, Node>();
  const arrays: Record<string, TypedArray> = {};
  const node: OnnxNode[] = [];
  const initializer: OnnxTensor[] = [];
  const input: OnnxInfo[] = [];

  // Numbered within this graph, so that equal graphs give equal bytes.
  const names = new Map<number, string>();
  for (const [name, value] of Object.entries(outputs)) {
    if (value.node !== undefined && !names.has(value.id)) names.set(value.id, outputName(name));
  }
  const nameOf = ({ id, source }: Value): string => {
    const name = names.get(id) ?? (source?.kind === 'input' ? inputName(source.name) : `v${names.size}`);
    names.set(id, name);
    return name;
  };
  for (const value of order) {
    const { source } = value;
    const name = nameOf(value);
    if (source?.kind === 'input') input.push(typeInfo(name, value));
    else if (source?.kind === 'constant' && folder === undefined && source.data.byteLength > largestInside) {
      arrays[locationOf(source.data)] = source.data;
      initializer.push(externalTensor(name, value, locationOf(source.data), 0));
    } else if (source?.kind === 'constant') initializer.push(tensor(name, value, source.data));
    else if (source?.kind === 'file') {
      const location = relative(folder as string, source.path)
        .split(sep)
        .join('/');
      initializer.push(externalTensor(name, value, location, source.offset));
    } else if (value.node !== undefined) {
      const title = `${value.node.op.name} ${nameOf(value.node.outputs[0] as Value)}`;
      if (nodes.has(title)) continue;
      nodes.set(title, value.node);
      node.push(onnxNode(title, value.node, initializer, nameOf));
    }
  }
  for (const [name, value] of Object.entries(outputs)) {
    if (nameOf(value) === outputName(name)) continue;
    node.push({ opType: 'Identity', name: `output ${name}`, input: [nameOf(value)], output: [outputName(name)] });
  }
  const output = Object.entries(outputs).map(([name, value]) => typeInfo(outputName(name), value));
  const graph = { name: 'epsilens', node, initializer, input, output };
  const model = create(ModelProtoSchema, { irVersion, producerName: 'epsilens', opsetImport: opsets, graph });
  return { bytes: toBinary(ModelProtoSchema, model), folder, stamps: stampsOf(order), arrays, nodes };
}

/** A name that is unique to the array: graphs that use the same name hold the same constant. */
function locationOf(array: TypedArray): string {
  const number = arrayNumbers.get(array) ?? ++lastArray;
  arrayNumbers.set(array, number);
  return `array ${number}`;
}
const arrayNumbers = new WeakMap<TypedArray, number>();
let lastArray = 0;

/** Outputs have names of their own; one that is an input, a constant or another output is copied. */
export const outputName = (name: string): string => `output:${name}`;
export const inputName = (name: string): string => `input:${name}`;

function onnxNode(name: string, node: Node, initializer: OnnxTensor[], nameOf: (value: Value) => string): OnnxNode {
  const { opType, domain = '', attributes = {}, constants = [] } = node.op.lower(node.attributes, node.inputs);
  const extra = constants.map(({ data, ...type }, index) => {
    const title = `${name}:${index}`;
    initializer.push(tensor(title, type, data));
    return title;
  });
  const attribute = Object.entries(attributes).map(([key, value]) => onnxAttribute(key, value));
  return {
    name,
    opType,
    domain,
    attribute,
    input: [...node.inputs.map(nameOf), ...extra],
    output: node.outputs.map(nameOf),
  };
}

type AttributeValue = NonNullable<Lowered['attributes']>[string];

function onnxAttribute(name: string, value: AttributeValue) {
  if (typeof value === 'number') return { name, type: AttributeType.INT, i: BigInt(value) };
  if (typeof value === 'string') return { name, type: AttributeType.STRING, s: new TextEncoder().encode(value) };
  if ('float' in value) return { name, type: AttributeType.FLOAT, f: value.float };
  return { name, type: AttributeType.INTS, ints: value.map(BigInt) };
}
type OnnxAttribute = ReturnType<typeof onnxAttribute>;

interface OnnxNode {
  readonly name: string;
  readonly opType: string;
  readonly domain?: string;
  readonly attribute?: OnnxAttribute[];
  readonly input: string[];
  readonly output: string[];
}

const dims = (shape: Shape) => shape.map(BigInt);

const tensor = (name: string, { dtype, shape }: ValueType, data: TypedArray) => ({
  name,
  dataType: onnxType[dtype],
  dims: dims(shape),
  rawData: new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
});

const externalTensor = (name: string, { dtype, shape }: ValueType, location: string, offset: number) => ({
  name,
  dataType: onnxType[dtype],
  dims: dims(shape),
  dataLocation: DataLocation.EXTERNAL,
  externalData: Object.entries({ location, offset, length: sizeOf(shape) * bytesPerElement(dtype) }).map(
    ([key, value]) => ({ key, value: String(value) }),
  ),
});
type OnnxTensor = ReturnType<typeof tensor> | ReturnType<typeof externalTensor>;

const typeInfo = (name: string, { dtype, shape }: { dtype: DType; shape: Shape }) => ({
  name,
  type: {
    value: {
      case: 'tensorType' as const,
      value: {
        elemType: onnxType[dtype] as number,
        shape: { dim: shape.map((size) => ({ value: { case: 'dimValue' as const, value: BigInt(size) } })) },
      },
    },
  },
});
type OnnxInfo = ReturnType<typeof typeInfo>;

const stampsOf = (order: readonly Value[]): string =>
  [...new Set(order.flatMap(({ source }) => (source?.kind === 'file' ? [`${source.path} ${source.stamp}`] : [])))].join(
    '\n',
  );

/** The innermost folder that holds all weight files, because ONNX Runtime takes one folder and paths inside it. */
function commonFolder(order: readonly Value[]): string | undefined {
  const folders = new Set(order.flatMap(({ source }) => (source?.kind === 'file' ? [dirname(source.path)] : [])));
  const [first, ...rest] = [...folders].map((folder) => folder.split(sep));
  if (first === undefined) return undefined;
  const shared = first.findIndex((part, depth) => rest.some((folder) => folder[depth] !== part));
  return (shared === -1 ? first : first.slice(0, shared)).join(sep) || sep;
}
