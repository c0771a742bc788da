#!/usr/bin/env bash
# Runs a class of /opt/kafka/libs with the environment variables that Kafka's own script of this name knows.
# shellcheck disable=SC2086 # Lists of words.
exec java ${KAFKA_HEAP_OPTS:--Xmx256m} ${KAFKA_JVM_PERFORMANCE_OPTS:-} -Djava.awt.headless=true ${KAFKA_LOG4J_OPTS:-} ${KAFKA_OPTS:-} \
  -cp '/opt/kafka/libs/*' "$@"
