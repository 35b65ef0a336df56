# One image for web, worker and beat of the distributed mode; docker-compose.yml starts them.
FROM python:3.13-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
COPY requirements-distributed.txt .
RUN /venv/bin/pip install --require-hashes --requirement requirements-distributed.txt

FROM python:3.13-slim-bookworm
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OMP_NUM_THREADS=1 \
    PWSCUP_DATA_DIR=/data
RUN useradd --system --uid 10001 --home-dir /app pwscup \
    && install --directory --owner pwscup --mode 0700 /data
COPY --from=build /venv /venv
WORKDIR /app
COPY manage.py ./
COPY scoring scoring
COPY pwscup pwscup
COPY templates templates
COPY static static
COPY locale locale
COPY fixtures fixtures
# The catalogues and static files belong to the image; the key is for these two commands alone.
RUN SECRET_KEY=build python manage.py prepare --without-database && chmod -R a+rX locale staticfiles
USER pwscup
VOLUME /data
EXPOSE 8000
# Of the web server; docker-compose.yml has the checks of the other services.
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8000, timeout=5); c.request('GET', '/readyz'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "-m", "pwscup.web", "0.0.0.0:8000"]
