# SPDX-License-Identifier: Apache-2.0
"""Pictures of boards as SVG, drawn by the server in the colours of the page."""
