// The headers inside Parquet files (Thrift, compact protocol), read with limits: hyparquet believes the lengths it finds,
// so what it is to parse passes through here first.

export type ThriftStruct = ReadonlyMap<number, number | boolean | ThriftStruct | undefined>;

const kinds = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
} as const;
const deepest = 32;

/** One struct and the place after it. Of the fields, numbers, truth values and structs are kept. */
export function readStruct(bytes: Uint8Array, start: number): { readonly fields: ThriftStruct; readonly end: number } {
  let at = start;

  function byte(): number {
    const value = bytes[at];
    if (value === undefined) throw new Error('a header ends too early');
    at += 1;
    return value;
  }

  function varint(longest: number, below: number): number {
    let value = 0;
    for (let index = 0; index < longest; index += 1) {
      const part = byte();
      value += (part & 0x7f) * 2 ** (7 * index);
      if (part < 0x80 && value < below) return value;
      if (part < 0x80) break;
    }
    throw new Error('a header holds a number that is too long');
  }
  const unsigned = () => varint(5, 2 ** 32);
  const signed = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

  function pass(length: number): void {
    if (length > bytes.length - at) throw new Error('a header claims more bytes than there are');
    at += length;
  }

  function value(kind: number, depth: number): number | boolean | ThriftStruct | undefined {
    if (depth > deepest) throw new Error('a header is nested too deeply');
    switch (kind) {
      case kinds.true:
        return true;
      case kinds.false:
        return false;
      case kinds.byte:
        return byte();
      case kinds.i16:
      case kinds.i32:
        return signed(unsigned());
      case kinds.i64:
        return signed(varint(10, 2 ** 70));
      case kinds.double:
        return pass(8) as undefined;
      case kinds.binary:
        return pass(unsigned()) as undefined;
      case kinds.list:
        return list(depth) as undefined;
      case kinds.struct:
        return struct(depth + 1);
      default:
        throw new Error(`a header holds an unknown kind of value (${kind})`);
    }
  }

  function list(depth: number): void {
    const head = byte();
    const kind = head & 0x0f;
    const length = head >> 4 === 15 ? unsigned() : head >> 4;
    if (length > bytes.length - at) throw new Error('a header claims a list longer than the file');
    const isTruth = kind === kinds.true || kind === kinds.false;
    for (let index = 0; index < length; index += 1) value(isTruth ? kinds.byte : kind, depth + 1);
  }

  function struct(depth: number): ThriftStruct {
    const fields = new Map<number, number | boolean | ThriftStruct | undefined>();
    let field = 0;
    for (;;) {
      const head = byte();
      if ((head & 0x0f) === 0) return fields;
      field = head >> 4 === 0 ? signed(unsigned()) : field + (head >> 4);
      fields.set(field, value(head & 0x0f, depth));
    }
  }

  return { fields: struct(0), end: at };
}
