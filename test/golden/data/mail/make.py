# An independent reading of mail, with Python's email package and html5lib: python make.py CORPUS-FOLDER
# Writes messages.json (messages composed here) and corpus.json (hashes of the words of every twentieth message).

import codecs, email, hashlib, html, json, re, sys
from base64 import b64encode, encodebytes
from email.header import decode_header
import html5lib

words = re.compile(r'[^\W_]+').findall
aliases = {'us-ascii': 'cp1252', 'ascii': 'cp1252', 'iso-8859-1': 'cp1252', 'latin1': 'cp1252', 'iso-8859-9': 'cp1254',
           'ks_c_5601-1987': 'cp949', 'euc-kr': 'cp949', 'gb2312': 'gb18030', 'chinesebig5': 'big5'}


def decode(data, charset):
    charset = (charset or '').lower().strip('\'" ')
    if not charset:
        text = data.decode('utf8', 'replace')
        return data.decode('cp1252', 'replace') if 0 < text.count('\ufffd') <= 0.1 * len(text) else text
    charset = aliases.get(charset, charset)
    try:
        codecs.lookup(charset)
    except LookupError:
        charset = 'cp1252'
    return data.decode(charset, 'replace')


hidden = {'head', 'script', 'style', 'title', 'iframe', 'noembed', 'noframes', 'template', 'select'}
inline = set('a abbr acronym b bdo big blink cite code dfn em font i ins kbd label map nobr q s samp small span strike '
             'strong sub sup tt u var'.split())
tag = re.compile(r'</?(?:html|head|body|table|tr|td|font|center|div|span|br|hr|p|a|b|i|u|img|ul|ol|li)\b[^<>]*>', re.I)


def html_text(source):
    pieces, waiting = [], [html5lib.parse(source, treebuilder='dom', namespaceHTMLElements=False)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.nodeType == 3:
            pieces.append(node.data)
        elif node.nodeType in (1, 9, 11) and node.nodeName.lower() not in hidden:
            if node.nodeName.lower() not in inline:
                pieces.append('\n')
                waiting.append('\n')
            waiting.extend(reversed(node.childNodes))
    return ''.join(pieces)


def plain_text(text):
    if re.search(r'<(?:html|body)\b', text[:1000], re.I) or len(tag.findall(text)) > 4:
        return html_text(text)
    return re.sub(r'&#?\w{2,8};', lambda match: html.unescape(match[0]), tag.sub(' ', text))


def texts(part):
    """(plain, html) of every part that is shown; of alternatives one."""
    kind = part.get_content_type()
    if part.is_multipart():
        if kind.startswith('message/'):
            return []
        inner = [text for child in part.get_payload() for text in texts(child)]
        if kind != 'multipart/alternative':
            return inner
        return [('\n'.join(plain for plain, _ in inner), '\n'.join(markup for _, markup in inner))]
    if kind not in ('text/plain', 'text/html') or part.get_content_disposition() == 'attachment':
        return []
    text = decode(part.get_payload(decode=True) or b'', part.get_content_charset())
    return [(text, '')] if kind == 'text/plain' else [('', text)]


def read(raw):
    message = email.message_from_bytes(raw)
    subject = ''.join(piece if isinstance(piece, str) else decode(piece, None if charset == 'unknown-8bit' else charset)
                      for piece, charset in decode_header(message.get('subject', '')))
    found = texts(message)
    plain, markup = ('\n'.join(text[i] for text in found) for i in (0, 1))
    body = plain_text(plain) if re.search(r'[^\W\d_]', plain) else html_text(markup)
    return words(subject), words(body)


page = '''<!DOCTYPE html><html><head><title>no</title><style>p{color:red}</style></head><body>
<script>var x="<p>no</p>";</script><p>One &amp; two&nbsp;three &#8212; four<br>via<!-- split -->gra &euro;5 &#146;quoted&#146;</p>
<table><tr><td>a</td><td>b</td></tr></table></body></html>'''

composed = {
    'folded plain': b'''From someone@example.org  Mon Sep 02 10:00:00 2002
Received: from a.example (b.example [192.0.2.1])
\tby c.example with SMTP id x; Mon, 2 Sep 2002 10:00:00 +0100
Subject: A subject that is so long
 that it was folded
\tmore than once
Message-Id: <one@example.org>
Content-Type: text/plain; charset=us-ascii

First line.
Second line, with 3 numbers: 1 2 3.
''',
    'encoded words': b'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus?= =?iso-8859-1?B?' + b64encode(' Köln'.encode('latin1'))
    + b'''?= and plain =?utf-8?q?caf=C3=A9?=
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

''' + 'Schöne Grüße, naïve façade.\n'.encode(),
    'alternative': b'''Subject: Two faces
MIME-Version: 1.0
Content-Type: multipart/alternative;
 boundary="=_edge 1"

A preamble that nobody reads.
--=_edge 1
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

The plain face, d=E9j=E0 vu, on a line that is =
continued.
--=_edge 1 \x20
Content-Type: text/html; charset="iso-8859-1"

<html><body><p>The other face.</p></body></html>
--=_edge 1--
An epilogue.
''',
    'nested, html only, attachment': b'''Subject: Nested
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/related; boundary=inner

--inner
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

''' + encodebytes(page.encode()) + b'''--inner
Content-Type: image/gif
Content-Transfer-Encoding: base64

R0lGODlhAQABAAAAACw=
--inner--
--outer
Content-Type: text/plain; name=notes.txt
Content-Disposition: attachment; filename=notes.txt

Attached words do not count.
--outer--
''',
    'message in a message': b'''Subject: See below
Content-Type: multipart/mixed; boundary="b"

--b

Only these words.
--b
Content-Type: message/rfc822

Subject: inner
Content-Type: text/plain

Inner words do not count.
--b--
''',
    'broken markup': b'''Subject: Broken
Content-Type: text/html

<p>un<b>closed <i>tags <font color=red>everywhere<p>second > para < 5 & more
<a href="x>y">link</a><noscript>shown</noscript><textarea>also</textarea>
''',
    'html called plain': b'''Subject: Lies
Content-Type: text/plain

<HTML><BODY BGCOLOR=white><CENTER>Buy<BR>now</CENTER> caf&eacute;</BODY></HTML>
''',
    '8 bit without charset': b'''Subject: The world\x92s largest
Content-Type: text/plain

Caf\xe9 and na\xefve people said \x93hello\x94 to one another in the long street.
''',
    'Korean': b'Subject: =?ks_c_5601-1987?B?' + b64encode('안녕하세요'.encode('cp949')) + b'''?=
Content-Type: text/plain; charset="euc-kr"
Content-Transfer-Encoding: base64

''' + encodebytes('좋은 아침 입니다\n'.encode('cp949')),
    'Russian': b'Subject: =?koi8-r?Q?' + b''.join(b'=%02X' % byte for byte in 'привет'.encode('koi8-r')) + b'''?=
Content-Type: text/plain; charset=koi8-r
Content-Transfer-Encoding: 8bit

''' + 'Добрый день\n'.encode('koi8-r'),
    'unknown charset': b'''Subject: Strange
Content-Type: text/plain; charset=x-no-such-thing

Words with an accent: \xe9t\xe9.
''',
    'no subject, no type': b'''From: a@example.org

Just words.
''',
    'CRLF': b'Subject: Lines\r\nContent-Type: text/plain\r\n\r\none\r\ntwo\r\n',
    'empty plain part': b'''Subject: Fallback
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain

\x20
--x
Content-Type: text/html

<div>From the other part</div>
--x--
''',
}


def save(name, value):
    with open(name, 'w', encoding='utf-8') as file:
        json.dump(value, file, ensure_ascii=False, indent=0)


messages = []
for name, raw in composed.items():
    subject, body = read(raw)
    messages.append({'name': name, 'raw': b64encode(raw).decode(), 'subject': subject, 'body': body})
save('messages.json', messages)

corpus = sys.argv[1]
short = lambda found: hashlib.sha256(' '.join(found).encode()).hexdigest()[:12]
hashes = {}
for path in json.load(open(f'{corpus}/file_list.json'))[::20]:
    hashes[path.split('.')[0]] = [short(found) for found in read(open(f'{corpus}/{path}', 'rb').read())]
save('corpus.json', hashes)
