# S3, SQS and a KV store in one process, for trials. Built by deploy/build-images.sh. Without DynamoDB Local, whose licence does not
# allow to pass it on.
ARG BASE=eclipse-temurin:17.0.17_10-jre-noble
FROM ${BASE}

ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Indexview emulators" \
      org.opencontainers.image.description="S3, SQS and a KV store, for trials of Indexview" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

COPY target/images/emulators/lib /opt/indexview/lib
COPY target/images/emulators/own /opt/indexview/lib
COPY target/images/emulators/home /opt/indexview
COPY deploy/docker/http deploy/docker/indexview-demo /opt/indexview/bin/
RUN mkdir -p /var/lib/indexview && chown 10001:10001 /var/lib/indexview && chmod 0750 /var/lib/indexview

ENV PATH=/opt/indexview/bin:$PATH
USER 10001:10001
WORKDIR /var/lib/indexview
VOLUME /var/lib/indexview
EXPOSE 7700 9000 9324
CMD ["indexview-demo", "emulators", "--data", "/var/lib/indexview", "--bind", "0.0.0.0", "--host", "emulators", \
     "--port", "s3=9000", "--port", "sqs=9324", "--port", "kvstore=7700"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=6 \
  CMD ["bash", "-c", "http GET http://127.0.0.1:7700/health && : < /dev/tcp/127.0.0.1/9000 && : < /dev/tcp/127.0.0.1/9324"]
