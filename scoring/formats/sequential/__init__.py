# SPDX-License-Identifier: Apache-2.0
"""Sequential release: a changing table published repeatedly, and what its releases disclose together.

Records are positions in `Microdata.ids`, sensitive values and ordered categories are codes; groups are numbered
from 1 in every release, as in its file. Times count from 0 in the code and from 1 in files and messages.
"""
