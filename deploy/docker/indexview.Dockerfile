# Streams app, server and command line, from the distribution's archive. Built by deploy/build-images.sh.
ARG BASE=eclipse-temurin:17.0.17_10-jre-noble
FROM ${BASE}

ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Indexview" \
      org.opencontainers.image.description="Streams app, server and command line of Indexview" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Libraries change seldom, so they are a layer of their own.
COPY target/images/indexview/lib /opt/indexview/lib
COPY target/images/indexview/own /opt/indexview/lib
COPY target/images/indexview/home /opt/indexview
COPY deploy/docker/http /opt/indexview/bin/
RUN mkdir -p /var/lib/indexview && chown 10001:10001 /var/lib/indexview && chmod 0750 /var/lib/indexview

# RocksDB's library is unpacked where files may be executed, which a tmpfs does not allow.
ENV PATH=/opt/indexview/bin:$PATH \
    ROCKSDB_SHAREDLIB_DIR=/var/lib/indexview \
    INDEXVIEW_LOG_FORMAT=json
USER 10001:10001
WORKDIR /var/lib/indexview
VOLUME /var/lib/indexview
CMD ["indexview-app", "--config", "/etc/indexview/app.properties"]
# The app's; who starts the server says another one.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=6 \
  CMD ["http", "GET", "http://127.0.0.1:8085/health/live"]
