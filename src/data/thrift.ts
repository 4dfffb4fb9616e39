// The headers inside Parquet files (Thrift, compact protocol), read with limits. hyparquet trusts the lengths it finds, so
// every header is read here first.

export type ThriftStruct = ReadonlyMap<number, Value>;

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

type Value = number | boolean | ThriftStruct | undefined;

/** Reads one struct and the position after it. Only its numbers, booleans and structs are returned. */
export function readStruct(bytes: Uint8Array, start: number): { readonly fields: ThriftStruct; readonly end: number } {
  const cursor = openCursor(bytes, start);
  return { fields: readFields(cursor, 0), end: cursor.place() };
}

type Cursor = ReturnType<typeof openCursor>;

/** Reads bytes in order, and never beyond the last. */
function openCursor(bytes: Uint8Array, start: number) {
  let at = start;
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new Error('a header ends early');
    at += 1;
    return value;
  };
  return {
    place: () => at,
    left: () => bytes.length - at,
    byte,
    pass: (length: number): undefined => {
      if (length > bytes.length - at) throw new Error('a header claims more bytes than there are');
      at += length;
    },
    varint: (longest: number, below: number): number => {
      let value = 0;
      for (let index = 0; index < longest; index += 1) {
        const part = byte();
        value += (part & 0x7f) * 2 ** (7 * index);
        if (part < 0x80 && value < below) return value;
        if (part < 0x80) break;
      }
      throw new Error('a header holds a number that is too long');
    },
  };
}

const unsigned = ({ varint }: Cursor): number => varint(5, 2 ** 32);
const signed = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

function readValue(cursor: Cursor, kind: number, depth: number): Value {
  if (depth > deepest) throw new Error('a header is nested too deeply');
  switch (kind) {
    case kinds.true:
      return true;
    case kinds.false:
      return false;
    case kinds.byte:
      return cursor.byte();
    case kinds.i16:
    case kinds.i32:
      return signed(unsigned(cursor));
    case kinds.i64:
      return signed(cursor.varint(10, 2 ** 70));
    case kinds.double:
      return cursor.pass(8);
    case kinds.binary:
      return cursor.pass(unsigned(cursor));
    case kinds.list:
      return passList(cursor, depth);
    case kinds.struct:
      return readFields(cursor, depth + 1);
    default:
      throw new Error(`a header holds an unknown kind of value (${kind})`);
  }
}

function passList(cursor: Cursor, depth: number): undefined {
  const head = cursor.byte();
  const kind = head & 0x0f;
  const length = head >> 4 === 15 ? unsigned(cursor) : head >> 4;
  if (length > cursor.left()) throw new Error('a header claims a list longer than the file');
  const isTruth = kind === kinds.true || kind === kinds.false;
  for (let index = 0; index < length; index += 1) readValue(cursor, isTruth ? kinds.byte : kind, depth + 1);
}

function readFields(cursor: Cursor, depth: number): ThriftStruct {
  const fields = new Map<number, Value>();
  let field = 0;
  for (;;) {
    const head = cursor.byte();
    if ((head & 0x0f) === 0) return fields;
    field = head >> 4 === 0 ? signed(unsigned(cursor)) : field + (head >> 4);
    fields.set(field, readValue(cursor, head & 0x0f, depth));
  }
}
