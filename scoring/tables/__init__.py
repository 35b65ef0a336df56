# SPDX-License-Identifier: Apache-2.0
"""Tables: schemas, reading and writing, archives, checks of uploaded files, equivalence classes."""
