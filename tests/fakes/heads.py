"""Heads of pages as sites of many kinds write them, and what is to be read in each. All are at `https://site.test/a/b`.

A row is: a name, the Content-Type header, the page (a string is UTF-8), and the fields that are not empty.
"""

from typing import Any

HTML = "text/html"
UTF8 = "text/html; charset=utf-8"

HEADS: list[tuple[str, str, str | bytes, dict[str, Any]]] = [
    (
        "a newspaper",
        UTF8,
        """<!DOCTYPE html><html lang="en-GB" prefix="og: https://ogp.me/ns#"><head>
<title>Bridge opens | The Paper</title><meta name="description" content="Short.">
<link rel="canonical" href="https://site.test/news/bridge">
<meta property="og:title" content="Bridge opens"><meta property="og:type" content="article">
<meta property="og:description" content="After ten years &amp; two floods.">
<meta property="og:image" content="https://img.test/1.jpg"><meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630"><meta property="og:image:alt" content="A bridge">
<meta property="og:site_name" content="The Paper"><meta property="og:locale" content="en_GB">
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
<meta property="article:author" content="https://site.test/people/bob"><meta name="author" content="Bob B.">
</head><body>""",
        {
            "title": "Bridge opens", "description": "After ten years & two floods.", "image": "https://img.test/1.jpg",
            "width": 1200, "height": 630, "image_description": "A bridge", "provider_name": "The Paper",
            "language": "en-GB", "published_at": 1714979289.0, "url": "https://site.test/news/bridge",
            "author_url": "https://site.test/people/bob", "author_name": "Bob B.",
        },
    ),
    ("a title alone", UTF8, "<title>\n  Hello\n\tthere </title>", {"title": "Hello there"}),
    ("no head at all", UTF8, "<p>words<title>Late</title>", {"title": "Late"}),
    ("a title within the body's picture", UTF8, "<head></head><body><svg><title>x</title></svg>", {}),
    (
        "Twitter's alone",
        UTF8,
        """<head><meta name="twitter:card" content="summary"><meta name="twitter:title" content="Tweet">
<meta name="twitter:description" content="d"><meta name="twitter:image" content="//cdn.test/t.png">
<meta name="twitter:image:alt" content="alt">""",
        {"title": "Tweet", "description": "d", "image": "https://cdn.test/t.png", "image_description": "alt"},
    ),
    (
        "names and properties the wrong way about, and capitals",
        UTF8,
        """<HEAD><META NAME="OG:TITLE" CONTENT="Loud"><META PROPERTY="twitter:description" CONTENT='single'>
<META PROPERTY=og:image CONTENT=p.png></HEAD>""",
        {"title": "Loud", "description": "single", "image": "https://site.test/a/p.png"},
    ),
    (
        "JSON-LD alone",
        UTF8,
        """<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle",
"headline":"From JSON","description":"D","image":[{"@type":"ImageObject","url":"/i.jpg"}],
"author":[{"@type":"Person","name":"Ann","url":"https://ann.test/"}],"publisher":{"name":"Pub"},
"datePublished":"2024-05-06","inLanguage":"de"}</script>""",
        {
            "title": "From JSON", "description": "D", "image": "https://site.test/i.jpg", "author_name": "Ann",
            "author_url": "https://ann.test/", "provider_name": "Pub", "published_at": 1714953600.0, "language": "de",
        },
    ),
    (
        "JSON-LD as a graph, the article last",
        UTF8,
        """<script type="application/ld+json">{"@graph":[{"@type":"WebSite","name":"No"},{"@type":["Thing","WebPage"],
"name":"Page"},{"@type":"Article","headline":"Yes","author":"Just a name"}]}</script>""",
        {"title": "Yes", "author_name": "Just a name"},
    ),
    (
        "JSON-LD that is broken, and a whole one after it",
        UTF8,
        """<script type="application/ld+json">{"@type":"Article",</script>
<script type="application/ld+json">[{"@type":"Recipe","name":"Soup"}]</script>""",
        {"title": "Soup"},
    ),
    (
        "a film",
        UTF8,
        """<meta property="og:type" content="video.other"><meta property="og:title" content="Film">
<link rel="alternate" type="application/json+oembed" href="/oembed?format=json&amp;url=x" title="Film">
<link rel="alternate" type="text/xml+oembed" href="/oembed?format=xml">
<meta property="og:video:url" content="https://site.test/embed"><meta property="og:image" content="/still.jpg">""",
        {
            "title": "Film", "kind": "video", "image": "https://site.test/still.jpg",
            "oembed": "https://site.test/oembed?format=json&url=x",
        },
    ),
    (
        "a base",
        UTF8,
        """<base href="https://other.test/x/"><title>t</title><meta property="og:image" content="y.png">
<link rel=canonical href="z">""",
        {"title": "t", "image": "https://other.test/x/y.png"},
    ),
    (
        "canonical on another host, og:url on its own",
        UTF8,
        """<title>t</title><link rel="canonical" href="https://evil.test/"><meta property="og:url" content="/a/c#d">""",
        {"title": "t", "url": "https://site.test/a/c"},
    ),
    (
        "addresses that are none",
        UTF8,
        """<title>t</title><meta property="og:image" content="javascript:alert(1)">
<meta property="og:image:url" content="data:image/png;base64,AAAA"><meta name="twitter:image" content="http://[">
<link rel="canonical" href="https://user:pass@site.test/"><meta property="article:author" content="javascript:x">
<link rel="author" href="mailto:a@b.test">""",
        {"title": "t"},
    ),
    (
        "sizes that are none",
        UTF8,
        """<title>t</title><meta property="og:image" content="/i"><meta property="og:image:width" content="99999999999">
<meta property="og:image:height" content="480px">""",
        {"title": "t", "image": "https://site.test/i"},
    ),
    (
        "sizes beyond all bounds",
        UTF8,
        """<title>t</title><meta property="og:image" content="/i"><meta property="og:image:width" content="999999">
<meta property="og:image:height" content="480.5">""",
        {"title": "t", "image": "https://site.test/i", "width": 16384, "height": 480},
    ),
    (
        "markup in texts stays text",
        UTF8,
        """<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>
<meta property="og:description" content="<b>bold</b> &amp;amp; more">""",
        {"title": "<script>alert(1)</script>", "description": "<b>bold</b> &amp; more"},
    ),
    (
        "what turns the text around",
        UTF8,
        "<title>a\u202eb\u2066c\x00d\x07</title>",
        {"title": "abc\ufffdd"},
    ),
    ("the first of two", UTF8, """<meta property="og:title" content=" "><meta property="og:title" content="One">
<meta property="og:title" content="Two">""", {"title": "One"}),
    (
        "an author in the fediverse",
        UTF8,
        """<title>t</title><meta name="fediverse:creator" content="@Carol@Peer.test">""",
        {"title": "t", "creator": "Carol@peer.test"},
    ),
    (
        "an author in the fediverse who is none",
        UTF8,
        """<title>t</title><meta name="fediverse:creator" content="@a@b@c">""",
        {"title": "t"},
    ),
    ("latin-1 by the header", "text/html; charset=ISO-8859-1", "<title>Über “uns”</title>".encode("cp1252"),
     {"title": "Über “uns”"}),
    ("Shift JIS by the page", HTML, "<meta charset=Shift_JIS><title>日本語のページ</title>".encode("cp932"),
     {"title": "日本語のページ"}),
    (
        "windows-1251 in the old way",
        HTML,
        """<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><title>Новости</title>""".encode(
            "cp1251"
        ),
        {"title": "Новости"},
    ),
    ("a header that is wrong", "text/html; charset=utf-8",
     "<meta charset=windows-1251><title>Новости</title>".encode("cp1251"), {"title": "Новости"}),
    ("a mark before all", "text/html; charset=iso-8859-1", b"\xef\xbb\xbf" + "<title>Größe</title>".encode(),
     {"title": "Größe"}),
    ("UTF-16 with its mark", HTML, "\ufeff<title>Größe</title>".encode("utf-16-le"), {"title": "Größe"}),
    ("nobody says, and it is UTF-8", HTML, "<title>Größe</title>", {"title": "Größe"}),
    ("a charset that there is not", "text/html; charset=unicode_escape", "<title>Größe \\n</title>",
     {"title": "Größe \\n"}),
    (
        "nobody says, and it is guessed",
        HTML,
        (
            "<title>Новости дня</title><p>Сегодня в городе открылся новый мост через реку. Жители долго ждали этого "
            "события, и теперь путь на работу занимает вдвое меньше времени, говорят местные жители."
        ).encode("cp1251"),
        {"title": "Новости дня"},
    ),
    ("XHTML", "application/xhtml+xml", """<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="fr"><head><title>Été</title></head></html>""",
     {"title": "Été", "language": "fr"}),
    ("conditional comments and scripts before it", UTF8, """<!--[if IE]><title>Old</title><![endif]-->
<script>var t = "<title>No</title>";</script><style>title{}</style><title>Yes</title>""", {"title": "Yes"}),
    ("nothing", UTF8, "", {}),
]  # fmt: skip
