# SPDX-License-Identifier: Apache-2.0
"""Builds the reduced libraries and the fonts in static/vendor: `python -m tools.frontend` (needs Node.js and npm)."""
