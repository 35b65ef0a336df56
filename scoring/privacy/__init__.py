"""Differential privacy: mechanisms, their noise, what they cost, and what can be learned in spite of them.

A domain of categorical attributes is `sizes`, the number of values of each; a contingency table over it is an array
of that shape, in C order. ε is a positive finite number, and in contests a decimal of at most six places.

Two kinds of randomness are kept apart. Published output is drawn by `sampling`, exactly and from the
operating system's randomness. Experiments take a `numpy.random.Generator` and repeat with its seed.
"""
