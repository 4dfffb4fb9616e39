// Rows as comma-separated values (RFC 4180).

export type CsvRow = Readonly<Record<string, string | number | undefined>>;

export function writeCsv(rows: readonly CsvRow[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

const cell = (value: string | number | undefined): string => {
  const text = `${value ?? ''}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
