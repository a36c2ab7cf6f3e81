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
# Any user may run it (`--user`, OpenShift): one without a name has group 0, which may do in /data what the owner may.
RUN useradd --system --uid 10001 --gid 0 --home-dir /data dryline && install -d -o dryline -g root -m 775 /data
USER 10001
VOLUME /data
# Bound to every address of the container, so /_dryline stays closed until DRYLINE_ADMIN_TOKEN is set.
ENV PATH=/opt/dryline/bin:$PATH PYTHONUNBUFFERED=1 DRYLINE_HOST=0.0.0.0 DRYLINE_DATA_DIR=/data
EXPOSE 4010
# It asks the server at the address that it wrote, whatever --port, --host or --ephemeral say. Name another data directory
# by DRYLINE_DATA_DIR, not by --data-dir.
HEALTHCHECK --interval=5s --timeout=5s --start-period=5s CMD ["dryline", "wait", "--any", "--timeout", "0"]
ENTRYPOINT ["dryline"]
CMD ["serve"]
