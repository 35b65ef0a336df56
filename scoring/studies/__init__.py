# SPDX-License-Identifier: Apache-2.0
"""Published experiments, reproduced with the library and compared with the published figures."""
