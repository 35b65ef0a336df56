# SPDX-License-Identifier: Apache-2.0
"""The public functions of `scoring`: frames in and out, results that print, options named as on the command line.

They are thin: each checks what it is given and calls the function of the library that the command line calls, too.
"""
