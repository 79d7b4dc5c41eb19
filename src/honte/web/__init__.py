"""The web page: a server on which people play, analyse and watch the search itself.

Needs the extra ``web`` (FastAPI, uvicorn, websockets). :func:`honte.web.server.make_app` builds
the application, ``honte web`` serves it.
"""
