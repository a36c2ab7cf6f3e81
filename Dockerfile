# The published interpreter's slim image, a wheel's worth of files, a speech program, and no root.
FROM python:3.13-slim AS build
WORKDIR /src
COPY . .
# The build context has no git: `docker build --build-arg DRYLINE_BUILD_VERSION=…` says which version this is.
ARG DRYLINE_BUILD_VERSION=
RUN python -m venv /opt/dryline && /opt/dryline/bin/pip install --no-cache-dir .

FROM python:3.13-slim
# For the voices in recordings.
RUN apt-get update && apt-get install -y --no-install-recommends espeak-ng && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/dryline /opt/dryline
RUN useradd --system --uid 10001 --home-dir /data dryline && install -d -o dryline -g dryline /data
USER dryline
VOLUME /data
# Bound to every address of the container, so /_dryline stays closed until DRYLINE_ADMIN_TOKEN is set.
ENV PATH=/opt/dryline/bin:$PATH PYTHONUNBUFFERED=1 DRYLINE_HOST=0.0.0.0 DRYLINE_DATA_DIR=/data
EXPOSE 4010
# Past any proxy of the environment.
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s CMD ["python", "-c", "\
import http.client, os, sys; \
server = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('DRYLINE_PORT', 4010))); \
server.request('GET', '/_dryline/health'); \
sys.exit(server.getresponse().status != 200)"]
ENTRYPOINT ["dryline"]
CMD ["serve"]
