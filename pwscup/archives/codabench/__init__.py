# SPDX-License-Identifier: Apache-2.0
"""Competition bundles of Codabench: read, shown with all that has no place here, and made into a draft of a contest.

`files` opens the zip archive, `yaml_text` its competition.yaml, and `reading` makes a `description.Competition` of
both; these know no contest. `plan` says what would be made of it, and `services` makes it.
"""
