# A Kafka Connect worker with Indexview's plugins. Built by deploy/build-images.sh.
ARG BASE=apache/kafka:4.3.1
FROM ${BASE}

ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Indexview Connect" \
      org.opencontainers.image.description="Kafka Connect worker with the plugins of Indexview" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

USER root
COPY target/images/connect/jmx-exporter /opt/indexview/jmx-exporter
COPY target/images/connect/lib /opt/indexview/plugins
COPY target/images/connect/own /opt/indexview/plugins
COPY deploy/docker/http deploy/docker/connect-worker deploy/docker/make-topics deploy/docker/submit-connectors /opt/indexview/bin/
COPY deploy/docker/connect-log4j2.xml deploy/docker/jmx-exporter.yml /opt/indexview/etc/
RUN mkdir -p /var/lib/indexview && chown 1000:1000 /var/lib/indexview && chmod 0750 /var/lib/indexview

ENV PATH=/opt/indexview/bin:/opt/kafka/bin:$PATH
# The user of the base image.
USER 1000:1000
WORKDIR /var/lib/indexview
VOLUME /var/lib/indexview
EXPOSE 8083 9404
CMD ["connect-worker", "/etc/indexview/worker.properties"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s --retries=6 \
  CMD ["http", "GET", "http://127.0.0.1:8083/health"]
