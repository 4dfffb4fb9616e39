# Makes tokenizers.json, small-tokenizers.json and wordpiece.json:
# python make-tokenizers.py BERT_FOLDER GPT2_FOLDER OUTPUT_FOLDER
# The first two hold vocab.txt of bert-base-uncased, and encoder.json and vocab.bpe of GPT-2.

import json, random, sys
import tokenizers, transformers
from tokenizers import BertWordPieceTokenizer, Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import GPT2Tokenizer

bert_folder, gpt2_folder, output = sys.argv[1:]
VERSIONS = f'tokenizers {tokenizers.__version__}, transformers {transformers.__version__}'

TEXTS = [
    # nothing, spaces, line breaks
    '', ' ', '  ', '          ', '\n', '\n\n', '\r\n', '\t', ' \n ', '\t\t x', 'a\nb', 'a\n\nb', 'a \n b', 'a\r\nb\rc', '  two  spaces  ',
    'tab\tseparated\tvalues', 'end of line\n', '\nstart of line', ' a', 'a ', 'a  b   c    d', 'x\n \n \ny', '\u00a0', 'no\u00a0break', 'a\u00a0\u00a0b',
    'thin\u2009space', 'em\u2003space\u2003twice', 'ideographic\u3000space', 'line\u2028separator', 'paragraph\u2029separator', 'ogham\u1680mark', 'form\ffeed', 'vertical\vtab',
    # words, contractions, punctuation
    'Hello, world!', 'The quick brown fox jumps over the lazy dog.', 'tokenization', 'Untranslatable antidisestablishmentarianism', 'unaffable',
    "don't", "I'm you're he's we've they'll I'd can't", "DON'T I'M YOU'RE", "rock 'n' roll", "the dogs' bones", "o'clock", "'tis", "it's's", "''", "'s", " 's", "l'été d’hier", 'don’t', '“quoted” ‘single’',
    '!!!', '?!?!', '...', '. . .', '…', '---', '--', '—', '–', '__init__', 'a_b_c', '#hashtag', '##', '##a', '# # a', '@user', '$5', '$5.00', '100%', '50 %', '&amp;', '<b>bold</b>', '(a)', '[b]', '{c}', 'a/b\\c', '~`^|', '+-*/=', 'a+b=c', '<<>>', '::', ':-)', ';-(', '^_^', '=======', '!!!!!!!!!!!!!!!!!!!!', '.' * 70, '-' * 130,
    'e.g. i.e. etc.', 'U.S.A.', 'Mr. Smith, Jr.', 'well-known', 'state-of-the-art', 'A.B.C', 'x,y,z', 'end.Start', 'one;two', 'CamelCaseWord', 'ALLCAPS', 'mIxEd', 'i', 'I', 'a',
    # numbers
    '0', '1', '42', '2024', '1234567890', '3.14159', '1,000,000', '1e-10', '-5', '+49 30 123456', '10:30', '2024-02-29', '1st 2nd 3rd', '½ ¼ ¾', '²³¹', '①②③', 'Ⅷ ⅷ', '٠١٢٣', '०१२', '１２３', '10²', 'x1y2z3', '007',
    # addresses
    'https://example.org/path?query=1&other=two#part', 'www.example.com', 'user.name+tag@example.co.uk', 'ftp://192.168.0.1:21/', 'C:\\Users\\name', '/usr/local/bin', 'file.tar.gz', '2001:db8::ff00:42:8329', 'v1.2.3-beta+exp.sha.5114f85',
    # Latin with accents, composed and decomposed
    'café', 'cafe\u0301', 'naïve façade', 'Ærøskøbing', 'Zürich', 'ZÜRICH', 'Straße', 'STRASSE', 'ẞ', 'Łódź', 'Đà Nẵng', 'Tiếng Việt', 'ﬁne ﬂow', 'İstanbul ıssız', 'Ǆ ǅ ǆ', 'ŉ', 'ﬀ', 'A\u030angstro\u0308m', 'Ångström', 'e\u0301\u0302\u0303', 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324', '\u0301', ' \u0301', 'K Å Ω', 'ℂ ℕ ℝ', 'ª º', 'ß', 'ſ', 'þ ð',
    # other scripts
    'Привет, мир!', 'ЁЖИК ёжик й', 'Ελληνικά κείμενα', 'ἀρχή', 'Ωμέγα', 'שלום עולם', 'שָׁלוֹם', 'مرحبا بالعالم', 'العَرَبِيَّة', 'فارسی می\u200cخواهم', 'ٱلْحَمْدُ', 'नमस्ते दुनिया', 'ক্ষ', 'தமிழ்', 'ไทยภาษา', 'ລາວ', 'မြန်မာ', 'ខ្មែរ', 'ქართული', 'Հայերեն', 'ᏣᎳᎩ', 'አማርኛ', 'ᠮᠣᠩᠭᠣᠯ', 'བོད་',
    '你好，世界！', '中文abc混合', 'a中b', '日本語のテキスト', 'カタカナ', 'ｶﾞｷﾞ', 'ひらがな', 'が', 'か\u3099', '한국어 텍스트', '각', '\u1100\u1161\u11a8', '豈更', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢', '𝟘𝟙𝟚', 'Ｆｕｌｌｗｉｄｔｈ', '。、「」', '〆〇々',
    # emoji and symbols
    '😀', '😀😀', 'I ❤ you', 'I ❤️ you', '👍🏽', '👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪🇫🇷', '1️⃣', '☺', '☺️', 'text😀text', '🤷🏻‍♀️ ok', '™ © ®', '€ £ ¥ ₿', '→ ⇒ ∀ ∃ ∈', '♠♣♥♦', '█▓▒░', '✓ ✗', '°C', 'µm', '§ 5', '† ‡', '•bullet', '¡Hola! ¿Qué?', '« guillemets »', '‹›',
    # control, zero width, private use, replacement
    '\u0000', 'a\u0000b', 'a\u0001b\u0002c', '\u0007bell', 'a\u001bb', '\u007f', 'a\u0080b', 'a\u009fb', 'soft\u00adhyphen', 'zero\u200bwidth', 'zero\u200cwidth', 'zero\u200dwidth', 'a\u200e\u200fb', 'a\u2060b', '\ufeffmark', 'a\ufffdb', '\ufffd', 'a\ufffcb', 'a\ue000b', 'a\U000f0000b', 'a\U0010fffdb', 'a\ufdd0b', 'a\uffffb', 'a\U0001ffffb', 'a\u0378b', 'a\u180eb', 'variation\ufe0e', 'tag\U000e0041s',
    # special tokens within a text
    '[CLS]', '[SEP] [PAD]', 'a [MASK] b', 'a[MASK]b', '[mask]', '[UNK]', '[ CLS ]', '[CLS', '<|endoftext|>', 'a<|endoftext|>b', 'a <|endoftext|> b', '<|endoftext|', '[PAD][PAD]', '[unused1]', '[SEP]]',
    # long words: up to 100 characters are cut into pieces, longer ones are unknown to BERT
    'a' * 99, 'a' * 100, 'a' * 101, 'ab' * 50, 'ab' * 51, 'é' * 100, 'é' * 101, 'x' * 300, 'word' * 40 + ' end', '😀' * 12, '1' * 120, 'supercalifragilisticexpialidocious' * 3, 'b' + 'a' * 100 + '.c',
]

# Code points on which the two libraries are known to differ, see below.
KNOWN = {0x85, 0xfeff, 0x3a3}
POOLS = [
    range(0x20, 0x7f), range(0x20, 0x7f), range(0x61, 0x7b), [0x20, 0x20, 0x0a, 0x09, 0x27, 0x73, 0x74, 0x72, 0x65], range(0xa0, 0x180), range(0x300, 0x340), range(0x391, 0x3ca), range(0x410, 0x450),
    range(0x5d0, 0x5eb), range(0x621, 0x64b), range(0x905, 0x93a), [0xa0, *range(0x2000, 0x2010), 0x2028, 0x202f, 0x205f, 0x3000], range(0x2010, 0x2028), range(0x2190, 0x2200), range(0x3041, 0x30ff), range(0x4e00, 0x5000),
    range(0xac00, 0xac80), [*range(0x1f600, 0x1f640), 0x200d, 0xfe0f], range(0x1d400, 0x1d455), [*range(0, 0x20), 0x7f], range(0x30, 0x3a),
]
draw = random.Random(5)
for _ in range(100):
    pools = draw.sample(POOLS, draw.randint(1, 3))
    TEXTS.append(''.join(chr(draw.choice([c for c in draw.choice(pools) if c not in KNOWN])) for _ in range(draw.randint(2, 14))))
TEXTS = list(dict.fromkeys(TEXTS))

# Where the npm package gives other ids than these libraries: vocabulary, text, reason, ids of the npm package.
sigma = 'the npm package lowers a capital sigma at the end of a word to the final form'
wide = 'the npm package puts no spaces around ideographs beyond U+FFFF'
tables = 'the tables of the Rust library are of Unicode 8 or so'
DIFFERENCES = [
    ['bert', 'ΟΔΟΣ', sigma, [1169, 29722, 15297]],
    ['bert', 'ΑΣ α', sigma, [1155, 19579, 1155]],
    ['bert', 'a\U00020000b', wide, [100]],
    ['bert', 'x\U0002f800y', wide, [100]],
    ['bert', 'a\u061db', f'punctuation of Unicode 14; {tables}', [1037, 100, 1038]],
    ['bert', 'a\u2e43b', f'punctuation of Unicode 9; {tables}', [1037, 100, 1038]],
    ['bert', 'a\u08d3b', f'accent of Unicode 11; {tables}', [11113]],
    ['bert', 'a\u1abfb', f'accent of Unicode 13; {tables}', [11113]],
    ['bert', 'a\U0001e944b', f'accent of Unicode 9; {tables}', [11113]],
    ['bert', 'a\u166db', f'punctuation until Unicode 12; {tables}', [100]],
    ['bert', 'a\U00013430b', f'format character of Unicode 12; {tables}', [11113]],
    ['gpt2', 'a \u0085b', 'U+0085 is white space in Rust, not in JavaScript', [64, 1587, 227, 65]],
    ['gpt2', 'a  \ufeffb', 'U+FEFF is white space in JavaScript, not in Rust', [64, 220, 220, 171, 119, 123, 65]],
]

bert = BertWordPieceTokenizer(f'{bert_folder}/vocab.txt')
gpt2 = GPT2Tokenizer(vocab=f'{gpt2_folder}/encoder.json', merges=f'{gpt2_folder}/vocab.bpe').backend_tokenizer
ids = lambda tokenizer, text: tokenizer.encode(text, add_special_tokens=False).ids

def write(name, value):
    text = json.dumps(value, ensure_ascii=True, separators=(',', ':'))
    open(f'{output}/{name}.json', 'w').write(text.replace('],["', '],\n["').replace('},{', '},\n{') + '\n')
    print(name, len(text))

# Cuts within a character: what bytes that are not UTF-8 become.
cut_texts = ['😀é', 'नमस्ते', '你好', 'ἀρχή 👨‍👩‍👧']
cuts = []
for text in cut_texts:
    whole = ids(gpt2, text)
    for part in {tuple(whole[a:b]) for a in range(len(whole)) for b in range(a + 1, len(whole) + 1)}:
        decoded = gpt2.decode(list(part), skip_special_tokens=False)
        if '\ufffd' in decoded: cuts.append([decoded, list(part)])
cuts = sorted(cuts, key=lambda cut: (len(cut[1]), cut[1]))[:40]

write('tokenizers', {
    'origin': f'{VERSIONS}: BertWordPieceTokenizer over vocab.txt of bert-base-uncased and GPT2Tokenizer over encoder.json and vocab.bpe of GPT-2, ids without those around a text; made by make-tokenizers.py',
    'rows': 'text, ids of BERT, ids of GPT-2',
    'texts': [[text, ids(bert, text), ids(gpt2, text)] for text in TEXTS],
    'differences': [{'vocabulary': v, 'text': t, 'why': why, 'python': ids(bert if v == 'bert' else gpt2, t), 'npm': npm} for v, t, why, npm in DIFFERENCES],
    'cuts': cuts,
})

# Words of the Archbishop of York in Shakespeare's Henry IV, part 1, with counts by chance so that hardly two pairs are
# equally frequent: the trainer's choice among equals depends on the order of a hash table.
WORDS = '''hie good sir michael bear this sealed brief with winged haste to the lord marshal my cousin scroop and all rest
whom they are directed if you knew how much do import would make like enough morrow is a day wherein fortune of ten thousand
men must bide touch for at shrewsbury as i am truly given understand king mighty quick raised power meets harry fear what
sickness northumberland whose was in first proportion owen glendower absence thence who them rated sinew too comes not
er ruled by prophecies percy weak wage an instant trial no mortimer there so but yet hath drawn special head land together
prince wales john lancaster noble westmoreland warlike blunt moe corrivals dear estimation command arms hope less needful
tis prevent worst speed thrive ere dismiss his he means visit us heard our confederacy wisdom strong against him therefore
go write again other friends farewell , . ; : \''''.split()
assert len(set(WORDS)) == len(WORDS)
SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

def train(counts, size, frequency, alphabet):
    tokenizer = Tokenizer(models.WordPiece(unk_token='[UNK]'))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, min_frequency=frequency, limit_alphabet=alphabet, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator([' '.join([word] * count) for word, count in counts.items()], trainer)
    return sorted(tokenizer.get_vocab())

PLANS = [(120, 2, 1000), (160, 2, 1000), (200, 2, 1000), (10000, 3000, 1000), (130, 2, 20), (90, 2, 10)]

def train_all(counts):
    """Nothing unless ten runs agree for every plan."""
    trained = []
    for size, frequency, alphabet in PLANS:
        pieces = train(counts, size, frequency, alphabet)
        if any(train(counts, size, frequency, alphabet) != pieces for _ in range(9)): return None
        trained.append({'size': size, 'minFrequency': frequency, 'alphabet': alphabet, 'pieces': pieces})
    return trained

for seed in range(100):
    draw = random.Random(seed)
    counts = {word: draw.randint(1, 3000) for word in WORDS}
    trained = train_all(counts)
    if trained: break
print('seed', seed, [len(plan['pieces']) for plan in trained])
write('wordpiece', {
    'origin': f'{VERSIONS}: WordPieceTrainer with BertNormalizer and BertPreTokenizer, ten runs with one result; made by make-tokenizers.py',
    'counts': counts,
    'trained': trained,
})

# Small vocabularies that can be written into a test's folder.
pieces = SPECIAL + [piece for piece in trained[2]['pieces'] if piece not in SPECIAL] + ['中', '##中', 'é', '##ß', '😀', '!', '1', '##1', '#', '2028', '\u0e44']
small_bert = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token='[UNK]'))
small_bert.normalizer, small_bert.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
small_bert.add_special_tokens(SPECIAL)
cased_bert = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token='[UNK]'))
cased_bert.normalizer, cased_bert.pre_tokenizer = normalizers.BertNormalizer(lowercase=False), pre_tokenizers.BertPreTokenizer()
cased_bert.add_special_tokens(SPECIAL)

byte_trainer = trainers.BpeTrainer(vocab_size=360, min_frequency=2, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), special_tokens=['<|endoftext|>'], show_progress=False)
learned = Tokenizer(models.BPE())
learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
learned.train_from_iterator([' '.join([word] * (count % 20)) for word, count in counts.items()] + ["it's don't we're  \n\n é 你 😀"] * 40, byte_trainer)
model = json.loads(learned.to_str())['model']
merges = [tuple(merge) for merge in model['merges']]
small_gpt2 = GPT2Tokenizer(vocab=model['vocab'], merges=merges).backend_tokenizer
some = [t for t in TEXTS if len(t) <= 40][::2] + ['a' * 101, 'a' * 100, 'Hie, good Sir Michael; bear this sealed brief', "I fear, Sir Michael's power", 'king 中 KING é É', '[CLS] king [SEP]', "it's king's  haste\n\nand 😀😀", 'a<|endoftext|>b']
write('small-tokenizers', {
    'origin': f'{VERSIONS}: WordPiece with BertNormalizer (lower case, then as written) and BertPreTokenizer, and GPT2Tokenizer, over these vocabularies; made by make-tokenizers.py',
    'pieces': pieces,
    'encoder': model['vocab'],
    'merges': [' '.join(merge) for merge in merges],
    'rows': 'text, ids of WordPiece, ids of WordPiece with capitals kept, ids of bytes',
    'texts': [[text, ids(small_bert, text), ids(cased_bert, text), ids(small_gpt2, text)] for text in some],
})
