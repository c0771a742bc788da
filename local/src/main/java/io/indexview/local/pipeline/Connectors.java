package io.indexview.local.pipeline;

import io.indexview.kvstore.KvStoreConfig;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.schemas.Topics;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;

/** The configuration of the four connectors on a local stack. */
final class Connectors {
  static final String KV_SOURCE = "indexview-kvstore-source";
  static final String KV_SINK = "indexview-kvstore-sink";
  static final String S3_SOURCE = "indexview-s3-source";
  static final String DYNAMODB_SINK = "indexview-dynamodb-sink";

  static final String PACKAGE = "io.indexview.connect.";
  static final String KV_SOURCE_CLASS = "kvstore.source.KvStoreSourceConnector";
  static final String S3_SOURCE_CLASS = "s3.S3SourceConnector";

  private final LocalStack stack;
  private final PipelineSpec spec;
  private final Topics topics;

  Connectors(LocalStack stack, PipelineSpec spec) {
    this.stack = stack;
    this.spec = spec;
    this.topics = stack.config().topics();
  }

  /** Configurations by connector name, of those whose source or target the stack has. */
  Map<String, Map<String, String>> all() {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    if (!spec.recordSets().isEmpty()) {
      all.put(KV_SOURCE, kvSource());
    }
    all.put(KV_SINK, kvSink());
    Set<PartName> parts = stack.config().parts();
    if (parts.contains(PartName.S3)) {
      all.put(S3_SOURCE, s3Source());
    }
    if (parts.contains(PartName.DYNAMODB)) {
      all.put(DYNAMODB_SINK, dynamoDbSink());
    }
    return all;
  }

  /** Where a record set's schema is written for the connector and the app. */
  Path schemaFile(String recordSet) {
    return stack.dataDirectory().resolve("schemas").resolve(recordSet + ".avsc");
  }

  private Map<String, String> kvSource() {
    Map<String, String> config = source(KV_SOURCE_CLASS);
    config.put("source.name", "kvstore");
    config.put("tasks.max", Integer.toString(spec.recordSets().size()));
    kvStore(config);
    config.put("index.dir", stack.dataDirectory().resolve("kvstore-index").toString());
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("scan.interval.ms", "1000");
    // Whoever changes a record by hand wants to see it, also where the records are many.
    config.put("scan.max.interval.ms", "20000");
    // This worker's sources have transactions, which cost a marker in each partition. What comes
    // after a while without one is committed at once all the same.
    config.put("transaction.boundary", "interval");
    config.put("transaction.boundary.interval.ms", "50");
    config.put(
        "record.sets",
        spec.recordSets().stream().map(RecordSetSpec::name).collect(Collectors.joining(",")));
    for (RecordSetSpec set : spec.recordSets()) {
      String prefix = "record.set." + set.name() + ".";
      config.put(prefix + "prefix", set.prefix().toString());
      config.put(prefix + "topic", topics.changes(set.name()));
      if (!set.hasOwnSchema()) {
        config.put(prefix + "schema.file", schemaFile(set.name()).toString());
      }
      set.settings().forEach((setting, value) -> config.put(prefix + setting, value));
    }
    return config;
  }

  private Map<String, String> s3Source() {
    Map<String, String> config = source(S3_SOURCE_CLASS);
    config.put("source.name", "s3");
    config.put("tasks.max", "1");
    config.put("s3.topic", topics.changes(PipelineSpec.FILES));
    config.put("s3.endpoint", stack.s3Url().toString());
    config.put("s3.key.pattern", spec.fileKeys().pattern());
    config.put("s3.attributes", spec.fileAttributes());
    config.put("s3.buckets", stack.config().bucket());
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("sqs.endpoint", stack.sqsUrl().toString());
    config.put("sqs.queue.url", stack.queueUrl().toString());
    aws(config);
    return config;
  }

  private Map<String, String> kvSink() {
    Map<String, String> config = sink("kvstore.sink.KvStoreSinkConnector", "kv");
    config.put("tasks.max", "2");
    // Who is behind writes more rows in bulk, and waits less often for the last one of a batch.
    config.put("consumer.override.max.poll.records", "2000");
    kvStore(config);
    return config;
  }

  private Map<String, String> dynamoDbSink() {
    Map<String, String> config = sink("dynamodb.DynamoDbSinkConnector", "dynamodb");
    config.put("tasks.max", "2");
    config.put("dynamodb.endpoint", stack.dynamoDbUrl().toString());
    config.put("dynamodb.auto.create", "true");
    aws(config);
    return config;
  }

  private void kvStore(Map<String, String> config) {
    config.put("kvstore.uri", stack.kvStoreUri());
    stack
        .config()
        .ownKvStore()
        .flatMap(KvStoreConfig::securityFile)
        .ifPresent(file -> config.put("kvstore.security.file", file.toString()));
  }

  private static void aws(Map<String, String> config) {
    config.put("aws.region", StackConfig.REGION);
    config.put("aws.access.key.id", StackConfig.ACCESS_KEY);
    config.put("aws.secret.access.key", StackConfig.SECRET_KEY);
  }

  private Map<String, String> source(String connectorClass) {
    Map<String, String> config = new LinkedHashMap<>();
    config.put("connector.class", PACKAGE + connectorClass);
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    converter(config, "value.converter");
    config.put("topic.prefix", topics.prefix());
    retries(config);
    // The whole stack starts at the same time, on what may be a small machine.
    config.put("preflight.timeout.ms", "60000");
    config.put("producer.override.linger.ms", "5");
    return config;
  }

  private Map<String, String> sink(String connectorClass, String target) {
    Map<String, String> config = new LinkedHashMap<>();
    config.put("connector.class", PACKAGE + connectorClass);
    config.put("topic.prefix", topics.prefix());
    config.put("topics.regex", topics.sinkPattern(target));
    converter(config, "key.converter");
    converter(config, "value.converter");
    // By default Connect tries to read a date, a number and more in each text.
    config.put("header.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("consumer.override.isolation.level", "read_committed");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    config.put("consumer.override.auto.offset.reset", "earliest");
    // How soon the topic of a new view is seen.
    config.put("consumer.override.metadata.max.age.ms", "500");
    // How soon a task learns that the partitions are shared anew: all wait for the last one.
    config.put("consumer.override.heartbeat.interval.ms", "300");
    retries(config);
    config.put("errors.tolerance", "all");
    config.put("errors.deadletterqueue.topic.name", topics.deadLetters(target));
    config.put("errors.deadletterqueue.topic.replication.factor", "1");
    config.put("errors.deadletterqueue.context.headers.enable", "true");
    return config;
  }

  private void converter(Map<String, String> config, String key) {
    config.put(key, PACKAGE + "common.avro.AvroConverter");
    config.put(key + ".schema.registry.url", stack.registryUrl().toString());
  }

  /** A registry that is out of reach is waited for; by default the worker would give up at once. */
  private static void retries(Map<String, String> config) {
    config.put("errors.retry.timeout", "-1");
    config.put("errors.retry.delay.max.ms", "5000");
  }

  /** All names, for status and restarts. */
  List<String> names() {
    return List.copyOf(all().keySet());
  }
}
