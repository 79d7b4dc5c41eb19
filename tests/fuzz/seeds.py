"""What the fuzz targets start from: the inputs that have tripped engines and viewers."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FunctionType

RECORDS: list[bytes] = [
    "(;GM[1]FF[4]SZ[9]PB[小王]PW[老李]C[黑先];B[ee];W[gc])".encode("gb18030"),
    b"\xef\xbb\xbf(;GM[1]SZ[9];B[cc];W[gg])",
    b"(;GaMe[1]SiZe[9]PlayerBlack[Ann]KoMi[5.5]CoPyright[none];Black[cc];White[gg])",
    b"(;SZ[ 9 ]KM[ 6.5 ] ; B[ ee ] ; W [cc])",
    b"(;SZ[9]C[a \\] b \\\\ c \\: d\\\ne];B[ee])",
    b"(;SZ[9]AB[bb]AB[cc]AW[gg]AW[hh]AE[bb:cc];B[ee])",
    "(;SZ[9]HA[对子]KM[];B[ee])".encode(),
    b"(;GM[2]SZ[8];B[d3];W[c5])",
    b"(;GM[1]SZ[19:13]KM[375]HA[2]RU[Chinese]AP[foxwq]AB[pd][dp];W[dd];B[];W[tt])",
    b"(;SZ[19]KM[3.75]RU[Japanese]US[GoGoD95]RE[B+R]PL[W];B[pd];W[kk];B[zz])",
    b"(;SZ[9];B[cc]W[gg];B[ee](;W[cc];B[gg])(;W[gc];B[cg](;W[gg])(;W[cc])))",
    b"(;SZ[9];B[aa])\n(;SZ[13];B[bb];W[cc])",
    b"Subject: a game\n\n(;SZ[9];B[ee];W[cc]) -- sent from (my) phone]\n;W[km]))",
    b"(;SZ[9];;B[ee];;W[cc]LB[aa:1][bb:2]TR[cc]CR[dd]SQ[ee]MA[ff];)",
    b"\\HS\n\\[GAMEBLACKNAME=Ann (5K)\\]\n\\[GAMEINFOMAIN=GBKIND:3,GRLT:4,ZIPSU:0,GONGJE:65\\]\n"
    b"\\HE\n"
    b"\\GS\n2 1 0\n0 0 &4\nINI 0 1 2 &4\nSTO 0 2 2 2 2\nSTO 0 3 1 15 2\n\\GE\n",
    b"Rating game\n9\nwhite1 1D\nblack1 1K\nwww.example.com\n0\n0\n6\n20240102 [10:00]\n0\n"
    b"White win on time!\n3\nPMABBEEEE\nPMACWCCCC\nPMADBAAAA\n",
]

COMMANDS: list[bytes] = [
    b"boardsize 9 13\r\nclear_board\r\nplay black J13\r\nplay white pass\r\nshowboard\r\n",
    b"1 komi 7,5\n2 komi nan\n3 komi 1e9\n4 komi -7.5\nget_komi\nfinal_score\n",
    b"play b a2\nplay w a1\nplay b b1\nundo\nplay b b1\nplay w resign\nfinal_status_list dead\n",
    b"lz-analyze b 10\nname\ngenmove b\nlz-analyze b 10\nname\n\nquit\n",
    b"kata-analyze b interval 10 ownership true rootInfo true pvVisits true minmoves 3\n\n",
    b"kata-genmove_analyze rootInfo true\nkata-analyze interval 10 avoid b a1,b2 3\n\n",
    b"time_settings 60 0 0\ntime_left b -3 0\ngenmove b\n"
    b"kata-time_settings fischer-capped 1 1 -1 -1\n",
    b"kgs-time_settings byoyomi 1 1 3\nkgs-rules japanese\ngenmove b\nkgs-genmove_cleanup w\n",
    b"boardsize 13\nfixed_handicap 3\nset_free_handicap a1 b2\nplace_free_handicap 2\n",
    b'kata-set-rules {"ko":"SIMPLE","scoring":"TERRITORY","tax":"ALL"}\nkata-get-rules\n',
    b"kata-set-param maxVisits 3\nkata-get-params\nkata-search b\nreg_genmove w\nkata-raw-nn all\n",
    b"set_position b a1 w b2\ngogui-play_sequence b c3 w d4\ngogui-setup b e5\nprintsgf\n",
    b"\tshowboard # here\x00\x07\n\xff\xfe name\n12\n12 foo\ncputime\nlist_commands\n",
]

_QUERY = {
    "id": "a",
    "moves": [["B", "C3"], ["W", "pass"]],
    "rules": "tromp-taylor",
    "komi": 7.5,
    "boardXSize": 5,
    "boardYSize": 5,
    "maxVisits": 4,
}
QUERIES: list[bytes] = [
    json.dumps({**_QUERY, **changes}).encode() + b"\n"
    for changes in (
        {},
        {"analyzeTurns": [0, 1, 2], "priorities": [1, 2, 3], "includePolicy": True},
        {"includeOwnership": True, "includeMovesOwnershipStdev": True, "includePVVisits": True},
        {"avoidMoves": [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 3}]},
        {"allowMoves": [{"player": "B", "moves": ["D4"], "untilDepth": 1}]},
        {"overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04}},
        {"initialStones": [["B", "A1"], ["W", "B2"]], "initialPlayer": "W", "moves": []},
        {"rules": {"ko": "SIMPLE", "scoring": "TERRITORY"}, "whiteHandicapBonus": "N-1"},
        {"reportDuringSearchEvery": 0.001, "rootPolicyTemperature": 1.1, "analysisPVLen": 3},
        {"boardXSize": 29, "komi": 1e9},
    )
] + [
    b'{"id":"v","action":"query_version"}\n{"id":"m","action":"query_models"}\n',
    b'{"id":"t","action":"terminate","terminateId":"a","turnNumbers":[1]}\n',
    b'{"id":"x","action":"terminate_all"}\n{"id":"c","action":"clear_cache"}\n',
    b'{"id":1}\n[1,2]\nnot json\n{"id":"n","komi":NaN}\n{"id":"d","id":"e"}\n',
]


def run(
    arguments: Sequence[str],
    one_input: Callable[[bytes], None],
    seeds: list[bytes],
    packages: tuple[str, ...],
) -> None:
    """Fuzz, guided by the branches taken in the packages; the first folder named in the arguments
    gets the seeds and keeps what is found."""
    import atheris

    folder = next((Path(a) for a in arguments[1:] if not a.startswith("-")), None)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    # An editable installation has a loader of its own, which Atheris' hook on imports misses.
    for function in set(_functions(packages)):
        atheris.instrument_func(function)
    atheris.Setup(list(arguments), one_input)
    atheris.Fuzz()


def _functions(packages: tuple[str, ...]) -> Iterator[FunctionType]:
    """Every function and method that the loaded modules of these packages define."""
    for name, module in list(sys.modules.items()):
        if not name.startswith(packages):
            continue
        values = [value for value in vars(module).values() if _belongs(value, name)]
        for kind in [value for value in values if isinstance(value, type)]:
            values += vars(kind).values()
        for value in values:
            for wrapped in ("__func__", "fget", "func"):
                value = getattr(value, wrapped, value)
            if isinstance(value, FunctionType) and _belongs(value, name):
                yield value


def _belongs(value: object, module: str) -> bool:
    return getattr(value, "__module__", None) == module
