# SPDX-License-Identifier: Apache-2.0
"""The web server: waitress with a time of arrival for each request, and bounds on what slow clients hold.

`python -m pwscup.web HOST:PORT` starts it: one process listens, its children read requests in an event loop and
hand whole requests to threads, so a slow client holds a connection and nothing else.
"""
