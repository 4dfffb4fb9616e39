// Rows as comma-separated values (RFC 4180).

export type CsvRow = Readonly<Record<string, string | number | undefined>>;

export function writeCsv(rows: readonly CsvRow[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

const cell = (value: string | number | undefined): string => {
  const text = asText(`${value ?? ''}`);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Spreadsheets would run a name such as =1+1 as a formula; an apostrophe makes it text. Numbers stay numbers. */
const asText = (text: string): string => (/^[=+\-@\t\r]/.test(text) && !isNumber(text) ? `'${text}` : text);

const isNumber = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
