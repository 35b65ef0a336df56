# SPDX-License-Identifier: Apache-2.0
"""Reports: documents, pictures, intervals."""
