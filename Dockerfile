# One image for web, worker and beat of the distributed mode; docker-compose.yml starts them.
# `make image-test` builds it from another base and lets it score: any Debian with Python 3.11 or newer will do.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# Where packages come from, for a build without a network; empty otherwise.
ARG PIP_NO_INDEX
ARG PIP_FIND_LINKS
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python3 -m venv /venv
COPY requirements-distributed.txt .
RUN /venv/bin/pip install --require-hashes --requirement requirements-distributed.txt

FROM ${PYTHON_IMAGE}
# Kernels are compiled below for any machine of this architecture (a fifth slower than for this one) and found in the
# tree, which nobody can write. For those of one machine: NUMBA_CPU_NAME= and NUMBA_CACHE_DIR=/data/kernels.
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1 \
    NUMBA_CPU_NAME=generic \
    NUMBA_CACHE_LOCATOR_CLASSES=UserProvidedCacheLocator,scoring.kernels.places.CompiledIn \
    PWSCUP_DATA_DIR=/data
RUN useradd --system --uid 10001 --home-dir /app pwscup \
    && install --directory --owner pwscup --mode 0700 /data
COPY --from=build /venv /venv
WORKDIR /app
COPY manage.py ./
COPY pyproject.toml ./
COPY LICENSE mkdocs.yml CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY docs docs
COPY scoring scoring
COPY pwscup pwscup
COPY templates templates
COPY static static
COPY locale locale
COPY fixtures fixtures
COPY tools/compile_kernels.py tools/
# Kernels, compiled modules, catalogues and static files belong to the image; the key is for these commands alone.
RUN python -m tools.compile_kernels \
    && python -m compileall -q manage.py scoring pwscup \
    && SECRET_KEY=build python manage.py prepare --without-database \
    && chmod -R a+rX /app
USER pwscup
VOLUME /data
EXPOSE 8000
# Of the web server; docker-compose.yml has the checks of the other services.
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8000, timeout=5); c.request('GET', '/readyz'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "-m", "pwscup.web", "0.0.0.0:8000"]
