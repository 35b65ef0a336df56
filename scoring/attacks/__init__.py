# SPDX-License-Identifier: Apache-2.0
"""Record linkage: which original record a record of an anonymized table was made from."""
