"""Disclosure under differential privacy: a table that nobody sees is released once, or asked questions.

Attributes are columns with listed values; records are codes of shape (n, W), the positions of their values. ε is a
decimal of at most six places, neighbouring tables differ by one record's values, and what is released is drawn by
`scoring.privacy.sampling`. Nothing here keeps accounts: who pays what is the caller's.
"""
