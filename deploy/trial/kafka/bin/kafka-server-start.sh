#!/usr/bin/env bash
# As XML: the library that reads the YAML of Kafka's own image is in none of Kafka's dependencies.
export KAFKA_LOG4J_OPTS=${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=/etc/kafka/docker/log4j2.xml}
exec /opt/kafka/bin/kafka-run-class.sh kafka.Kafka "$@"
