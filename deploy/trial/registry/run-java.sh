#!/usr/bin/env bash
# shellcheck disable=SC2086 # A list of words.
exec java ${JAVA_OPTIONS:-} -jar /deployments/*-runner.jar
