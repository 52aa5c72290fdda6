# Footnote's image: web, bot, worker and migrations are the same image with different commands.
#
#   docker build --tag footnote .            or: podman build --format docker --tag footnote .
#   docker build --build-arg OCR=1 ...       with text recognition for scans and pictures, 130 MB more
#
# Pin the base by its digest with --build-arg BASE=docker.io/library/debian:bookworm-slim@sha256:...
# Its Python is 3.11, the one that the tests run with.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS system
# Security fixes of the distribution are wanted at each build, so these packages have no versions.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/*

FROM system AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/footnote
# torch without graphics libraries. Empty takes the registry's build, gigabytes larger on x86-64.
ARG PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu
ARG PIP_NO_CACHE_DIR=1
COPY Makefile requirements.txt requirements.lock requirements-uv.lock requirements-ocr.txt requirements-ocr.lock requirements-model.txt requirements-model.lock ./
COPY .ci/install.py .ci/
# Each file is held to its hash in requirements.lock.
RUN make setup
ARG OCR=
RUN test -z "$OCR" || make ocr
# The server of a model on this machine; the model itself is set up later, in FOOTNOTE_HOME.
ARG MODEL=
RUN test -z "$MODEL" || make model-server
COPY . .
# The address is never opened: no database is asked for static files. Nothing writes beside the code later.
RUN DATABASE_URL=postgres://unused SECRET_KEY=unused FOOTNOTE_HOME=/srv/footnote \
    .venv/bin/python manage.py collectstatic --noinput \
    && .venv/bin/python -m compileall -q adminsite bot core \
    && mkdir -p /srv/footnote/originals

FROM system AS final
# A number, so that Kubernetes can see that it is not root's. The account has no home and no shell.
RUN groupadd --gid 10001 footnote \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin footnote
COPY --from=build /opt/footnote /opt/footnote
COPY --from=build /srv/footnote/staticfiles /srv/footnote/staticfiles
# The one folder that is kept, and with /tmp the only one that is written to.
COPY --from=build --chown=10001:10001 /srv/footnote/originals /srv/footnote/originals
WORKDIR /opt/footnote
# Which commit runs: --build-arg FOOTNOTE_COMMIT="$(git rev-parse --short=12 HEAD)". The history is not in the image.
ARG FOOTNOTE_COMMIT=
ENV FOOTNOTE_COMMIT=$FOOTNOTE_COMMIT
ENV PATH=/opt/footnote/.venv/bin:$PATH \
    HOME=/tmp \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FOOTNOTE_HOME=/srv/footnote \
    WEB_HOST=0.0.0.0 \
    PORT=8000
VOLUME ["/srv/footnote/originals"]
EXPOSE 8000
USER 10001:10001
# Of the web process, which is what the image runs unless it is told otherwise; bot and worker end when they cannot work.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["python", "-m", "adminsite.launcher.alive"]
CMD ["gunicorn", "--config", "python:adminsite.gunicorn", "adminsite.wsgi"]
