"""HAR files become pages, and damaged ones are refused with their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import cli
from aqmlab.files.har import Guess, HarError, PageObject, Recording, as_lines, read_recording
from aqmlab.files.recorded_lengths import CacheSign, SizeSource

if TYPE_CHECKING:
    from pathlib import Path


def entry(url: str, began_ms: int, time_ms: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    response = {"headersSize": -1, "bodySize": -1, "_transferSize": more.pop("transferred", 1000)}
    return {
        "startedDateTime": f"2026-01-31T12:00:0{began_ms / 1000:.3f}Z",
        "time": time_ms,
        "request": {"url": url, "headersSize": more.pop("request", 300), "bodySize": 0},
        "response": {**response, **more.pop("response", {})},
        "pageref": "page_1",
        **more,
    }


def har(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"log": {"version": "1.2", "entries": list(entries)}}


def recording(folder: Path, document: object) -> Recording:
    file = folder / "own.har"
    file.write_text(json.dumps(document))
    return read_recording(file)


def pages(folder: Path, document: object) -> list[list[PageObject]]:
    return recording(folder, document).pages


def test_objects_have_the_sizes_hosts_and_waves_that_the_browser_saw(tmp_path: Path) -> None:
    style = "https://cdn.example/style.css"
    document = har(
        entry("https://a.example/", 0, 100, transferred=31_200),
        entry(style, 150, 50, _initiator={"type": "parser", "url": "https://a.example/"}, request=410),
        entry("https://a.example/x.png", 150, 200, _initiator={"url": "https://a.example/"}),
        # Named by the style sheet, and something that a script asked for two calls deep.
        entry("https://fonts.example/f.woff2", 260, 40, _initiator={"type": "parser", "url": style}),
        entry(
            "https://a.example/deep.js",
            400,
            40,
            _initiator={"stack": {"callFrames": [], "parent": {"callFrames": [{"url": style}]}}},
        ),
        entry("https://a.example/cached.js", 420, 1, transferred=0),
        entry("data:image/png;base64,AAAA", 430, 1),
    )
    assert pages(tmp_path, document) == [
        [
            PageObject(0, 0, 300, 31_200),
            PageObject(1, 1, 410, 1000),
            PageObject(1, 0, 300, 1000),
            PageObject(2, 2, 300, 1000),
            PageObject(2, 0, 300, 1000),
        ]
    ]


def test_without_initiators_waves_go_by_time_and_sizes_by_headers_and_bodies(tmp_path: Path) -> None:
    def old(url: str, began_ms: int, time_ms: float) -> dict[str, Any]:
        made = entry(url, began_ms, time_ms, response={"headersSize": 200, "bodySize": 800}, request=-1)
        del made["response"]["_transferSize"]
        return made

    document = har(
        old("http://a/", 0, 100),
        old("http://a/1", 110, 50),
        old("http://a/2", 159, 90),
        old("http://a/3", 161, 9),
    )
    assert [
        (each.wave, each.request_bytes, each.response_bytes) for each in pages(tmp_path, document)[0]
    ] == [
        (0, 500, 1000),
        (1, 500, 1000),
        (1, 500, 1000),
        (2, 500, 1000),
    ]


def sized(url: str, **response: Any) -> dict[str, Any]:  # noqa: ANN401
    """An entry whose response says this of its length, and nothing else."""
    return {**entry(url, 0, 10), "response": response}


def test_a_size_is_the_best_that_the_file_has_and_none_is_made_up(tmp_path: Path) -> None:
    unknown = {"headersSize": 300, "bodySize": -1}
    document = har(
        sized("https://a/wire", _transferSize=1234, headersSize=300, bodySize=900, content={"size": 5000}),
        sized("https://a/sent", headersSize=300, bodySize=900, content={"size": 5000}),
        sized("https://a/empty", headersSize=200, bodySize=0),
        sized("https://a/unpacked", **unknown, content={"size": 800_000}),
        sized("https://a/packed", **unknown, content={"size": 5000, "compression": 4000}),
        sized("https://a/minus", _transferSize=-1, **unknown, content={"size": 70}),
        sized("https://a/cached", _transferSize=0, content={"size": 5000}),
        sized("https://a/unknown", **unknown, content={"size": 0}),
        sized("https://a/unsaid"),
    )
    found = recording(tmp_path, document)
    assert [each.response_bytes for each in found.pages[0]] == [1234, 1200, 200, 800_300, 1300, 370]
    assert found.sources == {
        SizeSource.TRANSFER_SIZE: 1, SizeSource.BODY_SIZE: 2, SizeSource.CONTENT_SIZE: 3,
    }  # fmt: skip
    assert (found.cached, found.unknown) == ({CacheSign.NOTHING_SENT: 1}, 2)


def test_a_response_without_a_body_has_none_of_the_content_that_was_in_the_cache(tmp_path: Path) -> None:
    """RFC 9110, section 6.4.1: neither 204 nor 304 nor the answer to HEAD has a body."""
    unknown = {"headersSize": 200, "bodySize": -1, "content": {"size": 30_000}}
    length = [{"name": "content-length", "value": "30000"}]
    head = sized("https://a/head", **unknown, headers=length)
    head["request"]["method"] = "HEAD"
    document = har(
        sized("https://a/", **unknown, status=200),
        sized("https://a/not-modified", **unknown, status=304, headers=length),
        sized("https://a/no-content", **unknown, status=204),
        head,
        sized("https://a/lost", headersSize=-1, bodySize=-1, status=304, content={"size": 30_000}),
        sized("https://a/empty", headers=[{"name": "Content-Length", "value": "0"}]),
        sized("https://a/odd", status=[304], headers={"Content-Length": 5}),
    )
    found = recording(tmp_path, document)
    assert [each.response_bytes for each in found.pages[0]] == [30_200, 200, 200, 200]
    assert found.unknown == 3


@pytest.mark.parametrize(
    ("value", "size"), [("40000", 40_300), ("0", 300), ("9" * 30, 800_300), ("-5", 800_300), (None, 800_300)]
)
def test_the_length_that_headers_announce_is_that_of_what_was_sent(
    value: str | None, size: int, tmp_path: Path
) -> None:
    """`content.size` is the unpacked length; `Content-Length` the one on the wire (RFC 9110, section 8.6)."""
    headers = [{"name": "Server", "value": "x"}, {"name": "Content-Length", "value": value}]
    unknown = {"headersSize": 300, "bodySize": -1, "content": {"size": 800_000}}
    found = recording(tmp_path, har(sized("https://a/", **unknown, status=200, headers=headers)))
    assert found.pages[0][0].response_bytes == size


def test_a_length_beside_a_0_is_taken_and_said(tmp_path: Path) -> None:
    """WebPagetest writes `bodySize` 0 of what came over HTTP/2; a 0 beside nothing is an empty body."""
    length = [{"name": "Content-Length", "value": "50000"}]
    zero = {"headersSize": 200, "bodySize": 0}
    document = har(
        sized("https://a/", **zero, headers=length, content={"size": 190_000}),
        sized("https://a/unpacked", **zero, content={"size": 70_000, "compression": 40_000}),
        sized("https://a/empty", **zero, headers=[{"name": "Content-Length", "value": "0"}]),
    )
    found = recording(tmp_path, document)
    assert [each.response_bytes for each in found.pages[0]] == [50_200, 30_200, 200]
    assert found.guesses[Guess.LENGTH] == 2


def test_a_body_that_cannot_be_is_passed_over(tmp_path: Path) -> None:
    """Firefox writes the length of the cached body beside 304 and HEAD (RFC 9110, section 6.4.1)."""
    body = {"headersSize": 386, "bodySize": 5509, "content": {"size": 5509}}
    head = sized("https://a/head", **body)
    head["request"]["method"] = "HEAD"
    found = recording(
        tmp_path, har(sized("https://a/", **body), sized("https://a/1", **body, status=304), head)
    )
    assert [each.response_bytes for each in found.pages[0]] == [5895, 386, 386]
    assert (found.guesses[Guess.LENGTH], found.not_modified) == (2, 1)


def of_a_cache(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """What a browser took from its cache, with the length of the body there."""
    response = {"status": 200, "headersSize": 0, "bodySize": 98_065, "content": {"size": 98_065}}
    return {**entry("https://a/cached.png", 20, 5), "response": response, **more}


NO_TIME = dict.fromkeys(("blocked", "dns", "connect", "ssl", "send", "wait", "receive"), 0)
IN_A_CACHE = {
    "Chrome": (of_a_cache(_fromCache="disk"), CacheSign.MARKED),
    "Safari": (of_a_cache(_fetchType="Memory Cache"), CacheSign.MARKED),
    "Firefox, marked": (of_a_cache(cache={"afterRequest": None}), CacheSign.MARKED),
    "Firefox, by its times": (of_a_cache(time=0, timings=NO_TIME), CacheSign.NO_TIME),
    "a cache's own header": (
        sized("https://a/x", headersSize=9, bodySize=5, headers=[{"name": "X-From-Cache", "value": "1"}]),
        CacheSign.MARKED,
    ),
    "nothing on the wire": (
        sized("https://a/x", _transferSize=0, content={"size": 9}),
        CacheSign.NOTHING_SENT,
    ),
    "an empty answer without headers": (
        sized("https://a/x", headersSize=0, bodySize=0),
        CacheSign.NOTHING_SENT,
    ),
}


@pytest.mark.parametrize("browser", IN_A_CACHE)
def test_what_a_cache_answered_is_left_out_by_the_sign_of_each_browser(browser: str, tmp_path: Path) -> None:
    cached, sign = IN_A_CACHE[browser]
    document = har(entry("https://a/", 0, 10), cached)
    document["log"]["creator"] = {"name": "Firefox", "version": "128.0"}
    found = recording(tmp_path, document)
    assert (len(found.pages[0]), found.cached) == (1, {sign: 1})


NOT_IN_A_CACHE = {
    "a server has an address": of_a_cache(time=0, timings=NO_TIME, serverIPAddress="192.0.2.1"),
    "somebody waited": of_a_cache(time=0, timings={**NO_TIME, "wait": 3}),
    "no timings": of_a_cache(time=0),
    "said to be none": of_a_cache(_fromCache="false"),
    "kept after it was loaded, as the standard has it": of_a_cache(cache={"afterRequest": {"hitCount": 1}}),
}


@pytest.mark.parametrize("why", NOT_IN_A_CACHE)
def test_what_a_server_answered_is_kept(why: str, tmp_path: Path) -> None:
    found = recording(tmp_path, har(entry("https://a/", 0, 10), NOT_IN_A_CACHE[why]))
    assert [each.response_bytes for each in found.pages[0]] == [1000, 98_065]


def test_webpagetest_has_lengths_and_initiators_of_its_own(tmp_path: Path) -> None:
    """Its numbers may be texts, and an initiator is an address."""
    empty = {"headersSize": -1, "bodySize": 0}
    document = har(
        {**sized("https://a/", **empty), "_bytesIn": "31200", "_bytesOut": "1743", "_objectSize": 31_000},
        {**sized("https://a/x.js", **empty), "_objectSize": "7000", "_initiator": "https://a/"},
        {**sized("https://a/y.png", **empty), "_bytesIn": 900, "_initiator": "https://a/x.js"},
        {**sized("https://a/z.png", **empty), "_bytesIn": 800, "_initiator": ""},
    )
    found = recording(tmp_path, document)
    assert found.pages[0] == [
        PageObject(0, 0, 1743, 31_200), PageObject(1, 0, 300, 7000),
        PageObject(1, 0, 300, 800), PageObject(2, 0, 300, 900),
    ]  # fmt: skip
    assert found.sources == {SizeSource.BYTES_IN: 3, SizeSource.OBJECT_SIZE: 1}
    assert found.guesses[Guess.WAVE] == 1


@pytest.mark.parametrize(
    "named",
    [
        {"_initiator": {"type": "parser", "url": "https://a/#top"}},
        {"_initiator": "https://a/"},
        {"_initiator": {"stack": {"callFrames": [{"url": ""}, {"url": "https://a/"}]}}},
        {"_initiator_detail": json.dumps({"type": "parser", "url": "https://a/"})},
    ],
)
def test_initiators_are_read_in_every_spelling(named: dict[str, Any], tmp_path: Path) -> None:
    late = {**entry("https://a/late", 900, 9), **named}
    found = recording(tmp_path, har(entry("https://a/", 0, 9), entry("https://a/1", 10, 9), late))
    assert [each.wave for each in found.pages[0]] == [0, 1, 1]
    assert found.guesses == {Guess.WAVE: 1}, "that of the second alone"


def test_what_is_null_is_not_known_and_the_guess_is_counted(tmp_path: Path) -> None:
    document = har(
        {**entry("https://a/", 0, 9), "time": None, "pageref": None},
        {**entry("https://a/1", 5, 9, request=None), "startedDateTime": None, "time": -1, "pageref": None},
        {**entry("https://a/2", 30, 9), "pageref": None, "_initiator": None},
        {**entry("https://a/3", 30, 9), "response": None},
    )
    document["log"]["entries"][1]["request"]["bodySize"] = None
    found = recording(tmp_path, document)
    assert [(each.wave, each.request_bytes) for each in found.pages[0]] == [(0, 300), (1, 500), (1, 300)]
    assert found.guesses == {
        Guess.DURATION: 2, Guess.BEGIN: 1, Guess.REQUEST: 1, Guess.WAVE: 2,
    }  # fmt: skip
    assert found.unknown == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"start": {"connected": []}, "intervals": [], "end": {}}', "results of iperf3"),
        ('{"metadata": {}, "results": {}, "x_values": []}', "a data file of Flent"),
        ("1\n2\n2\n5\n", "a rate trace"),
        ("time,mbps\n0,12\n", "a table of times and rates"),
    ],
)
def test_another_file_is_named_for_what_it_is(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "own.har").write_text(text)
    with pytest.raises(HarError, match=f"own.har: .*this is {what}"):
        read_recording(tmp_path / "own.har")


def test_the_command_says_where_sizes_come_from_and_what_it_left_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unknown = {"headersSize": 300, "bodySize": -1}
    content = [sized(f"https://a/{number}", **unknown, content={"size": 800_000}) for number in range(4)]
    not_modified = sized("https://a/same", headersSize=200, bodySize=-1, status=304)
    data = entry("data:image/png;base64,AAAA", 430, 1)
    rest = [
        sized("https://a/lost", **unknown),
        sized("https://a/cached", _transferSize=0),
        not_modified,
        data,
    ]
    document = har(*content, *rest)
    (tmp_path / "own.har").write_text(json.dumps(document))
    with pytest.raises(SystemExit):
        cli.main(["pages", "import", str(tmp_path / "own.har"), "-o", str(tmp_path / "own.csv")])
    told = capfd.readouterr().out
    assert "page 0: 5 objects of 3,201,400 bytes from 1 host\n" in told
    assert "sizes of 4 objects: content.size (unpacked: too much where the response was compressed)" in told
    assert "left out: 1 entry of unknown size" in told
    assert "left out: 1 entry from a cache (no byte was sent)\n" in told
    assert "left out: 1 entry not from a server\n" in told
    assert "headers alone: 1 object not modified (304)" in told
    assert "guessed for 4 objects: no initiator among the objects of the page" in told


def test_a_file_of_a_tool_that_writes_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """HAR 1.2 has tools ignore one, RFC 8259 lets them."""
    (tmp_path / "own.har").write_text("\ufeff" + json.dumps(har(entry("https://a/", 0, 1))), encoding="utf-8")
    assert len(read_recording(tmp_path / "own.har").pages) == 1


def test_what_a_page_has_beyond_the_most_is_counted(tmp_path: Path) -> None:
    found = recording(tmp_path, har(*(entry(f"https://a/{number}", 0, 1) for number in range(5003))))
    assert (len(found.pages[0]), found.surplus) == (5000, 3)


@pytest.mark.parametrize("size", [float("inf"), float("nan"), -1, "5", None, True])
def test_a_size_that_is_none_is_unknown(size: object, tmp_path: Path) -> None:
    found = recording(tmp_path, har(entry("https://a/", 0, 1), sized("https://a/x", _transferSize=size)))
    assert (len(found.pages[0]), found.unknown) == (1, 1)


def test_each_page_of_a_file_is_a_page(tmp_path: Path) -> None:
    second = {**entry("https://b.example/", 5000, 10), "pageref": "page_2"}
    found = pages(tmp_path, har(second, entry("https://a.example/", 0, 10, transferred=7)))
    assert [[each.response_bytes for each in page] for page in found] == [[7], [1000]]
    assert as_lines(found).splitlines()[1:] == ["0,0,0,300,7", "1,0,0,300,1000"]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "contains no JSON object"),
        ({}, "log is missing"),
        ({"log": {"entries": []}}, "log.entries: a list of at least 1"),
        (har({"time": 1}), "log.entries[1]: startedDateTime is missing"),
        (har({**entry("https://a/", 0, 1), "time": "x"}), "log.entries[1].time: a number, not 'x'"),
        (har({**entry("https://a/", 0, 1), "startedDateTime": "noon"}), "an instant such as"),
        (har(entry("http://[a", 0, 1)), "log.entries[1].request.url: no address"),
        (har(entry("data:x", 0, 1)), "no entry took anything from the network"),
        (har(sized("https://a/")), "no entry took anything from the network; of 1 the length is not known"),
    ],
)
def test_what_is_no_har_file_is_refused_with_its_place(
    document: object, message: str, tmp_path: Path
) -> None:
    with pytest.raises(HarError) as refused:
        pages(tmp_path, document)
    assert message in str(refused.value)
    assert "own.har" in str(refused.value)


def test_what_was_imported_is_loaded(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.har").write_text(
        json.dumps(
            har(entry("https://a/", 0, 9, transferred=4321), entry("https://b/", 10, 9, transferred=99))
        )
    )
    output = tmp_path / "own.csv"
    with pytest.raises(SystemExit) as left:
        cli.main(["pages", "import", str(tmp_path / "own.har"), "-o", str(output)])
    assert left.value.code == 0
    assert "2 objects of 4,420 bytes from 2 hosts" in capfd.readouterr().out
    scenario = aqmlab.Scenario.from_toml(
        """
name = "own"
duration_s = 60.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 0
right = 5
model = { model = "pages", pages_file = "own.csv", think_time_median_seconds = 2.0 }
[record]
responses = "rows"
""",
        folder=tmp_path,
    )
    result = aqmlab.run(scenario)
    assert set(result.tables["responses"]["response_bytes"].to_pylist()) == {4321, 99}
