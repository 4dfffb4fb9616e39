# Makes the files of this folder: python make.py FOLDER

import csv, datetime, decimal, gzip, json, os, sys
import pyarrow as pa, pyarrow.parquet as pq

folder = sys.argv[1]
os.makedirs(f'{folder}/parquet', exist_ok=True)

# CSV
cells = ['plain', 'a,comma', 'a "quoted" word', '"', '""', 'line\nbreak', 'cr\r\nlf', ' spaces ', 'tab\there', 'naïve €5 😀', "it's", ',', 'x"y', '\n', 'end']
rows = [['text', 'label', 'note']]
for i, cell in enumerate(cells):
    rows.append([f'{cell}', str(i % 3), cells[(i * 7 + 3) % len(cells)]])
    rows.append([cells[(i * 4 + 1) % len(cells)], cell, ''])
for name, options in {'crlf': {}, 'lf': {'lineterminator': '\n'}, 'all-quoted': {'quoting': csv.QUOTE_ALL}}.items():
    with open(f'{folder}/{name}.csv', 'w', newline='', encoding='utf-8') as f:
        csv.writer(f, **options).writerows(rows)
    with open(f'{folder}/{name}.csv', newline='', encoding='utf-8') as f:
        assert list(csv.reader(f)) == rows
json.dump(rows, open(f'{folder}/csv.json', 'w'))

# gzip: two members, one after the other
lines = [{'text': f'line {i} – {chr(0x1F600 + i)}', 'label': i % 2} for i in range(20)]
half = lambda part: gzip.compress(''.join(json.dumps(x, ensure_ascii=False) + '\n' for x in part).encode(), mtime=0)
open(f'{folder}/two-members.jsonl.gz', 'wb').write(half(lines[:10]) + half(lines[10:]))

# Parquet
n = 60
text = [f'row {i}: ' + ['short', 'naïve €5', '😀 ' * (i % 5 + 1) + 'end', 'word ' * (i % 9) + 'stop', 'same'][i % 5] for i in range(n)]
columns = {
    'id': pa.array(range(n), pa.int32()),
    'text': pa.array(text, pa.string()),
    'label': pa.array([i * i % 3 for i in range(n)], pa.int64()),
    'user': pa.array([f'u{i // 4}' for i in range(n)], pa.string()),
    'score': pa.array([None if i % 4 else i / 8 for i in range(n)], pa.float64()),
    'flag': pa.array([None if i % 7 == 0 else i % 2 == 0 for i in range(n)], pa.bool_()),
    'tags': pa.array([['a'] * (i % 3) for i in range(n)], pa.list_(pa.string())),
}
table = pa.table(columns)
json.dump([[t, str(l), u] for t, l, u in zip(text, table['label'].to_pylist(), table['user'].to_pylist())], open(f'{folder}/parquet.json', 'w'))
def write(name, table=table, **options):
    pq.write_table(table, f'{folder}/parquet/{name}.parquet', **{'row_group_size': 25, **options})
for codec in ['none', 'snappy', 'gzip', 'zstd', 'lz4', 'brotli']:
    write(codec, compression=codec)
write('plain', use_dictionary=False, compression='none', row_group_size=1000)
write('dictionary', use_dictionary=['user', 'text', 'label'], compression='snappy')
write('pages', data_page_size=64, write_batch_size=7, compression='snappy', use_dictionary=False)
write('version-2', data_page_version='2.0', version='2.6', compression='zstd')
write('version-2-pages', data_page_version='2.0', data_page_size=64, write_batch_size=7, use_dictionary=False, compression='gzip')
write('checksums', write_page_checksum=True, compression='none')
required = pa.schema([pa.field(f.name, f.type, nullable=f.name in ('score', 'flag', 'tags')) for f in table.schema])
write('required', table.cast(required))
write('delta', use_dictionary=False, column_encoding={'text': 'DELTA_LENGTH_BYTE_ARRAY', 'label': 'DELTA_BINARY_PACKED', 'user': 'PLAIN'})
write('split-bytes', table.set_column(2, 'label', table['label'].cast(pa.int32())), use_dictionary=False, column_encoding={'label': 'BYTE_STREAM_SPLIT', 'text': 'PLAIN', 'user': 'PLAIN'})
write('labels-as-dictionary', table.set_column(2, 'label', table['label'].cast(pa.string()).dictionary_encode()))
write('large-string', table.set_column(1, 'text', table['text'].cast(pa.large_string())))

other = f'{folder}/parquet-other'
os.makedirs(other, exist_ok=True)
pq.write_table(pa.table({'text': ['a', 'b', 'c'], 'label': [True, False, True]}), f'{other}/booleans.parquet', compression='none')
pq.write_table(pa.table({'text': ['a', 'b', 'c'], 'label': [1, None, 0]}), f'{other}/missing-label.parquet')
pq.write_table(pa.table({'text': ['a', None, 'c'], 'label': [1, 1, 0]}), f'{other}/missing-text.parquet')
pq.write_table(pa.table({'text': [['a'], ['b']]}), f'{other}/nested.parquet')
pq.write_table(pa.table({'text': ['a'], 'label': [datetime.date(2024, 1, 1)]}), f'{other}/dates.parquet')
pq.write_table(pa.table({'text': [decimal.Decimal('1.5')]}), f'{other}/decimals.parquet')
pq.write_table(pa.table({'text': ['aa', 'ab', 'ac']}), f'{other}/delta-strings.parquet', use_dictionary=False, column_encoding={'text': 'DELTA_BYTE_ARRAY'})
pq.write_table(pa.table({'text': pa.array([b'fine', b'\xff\xfe bad'], pa.binary())}), f'{other}/not-utf8.parquet')
pq.write_table(pa.table({'text': pa.array([], pa.string())}), f'{other}/empty.parquet')
long = ' '.join(str(i * 7919 % 10007) for i in range(100000))[:400000]
long = (long[:3000] * 200)[:400000]
for codec in ['snappy', 'zstd', 'lz4', 'gzip', 'brotli']:
    pq.write_table(pa.table({'text': [long, 'end']}), f'{other}/long-{codec}.parquet', compression=codec, use_dictionary=False, write_statistics=False)
