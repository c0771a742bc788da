package io.indexview.benchmarks.queue;

import io.indexview.aws.AwsAccess;
import io.indexview.connect.s3.S3SourceConnector;
import io.indexview.connect.s3.client.AwsClients;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.SqsEventQueue;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How all contestants get at the queue: the same client, as the source configures it.
 *
 * @param queue through the link
 * @param receivers receive requests at once
 */
record QueueAccess(URI queue, int receivers) {
  static final Map<String, String> REGISTRY = Map.of("schema.registry.url", "mock://queue");
  static final Duration WAIT = Duration.ofSeconds(1);
  static final Duration VISIBILITY = Duration.ofMinutes(10);
  private static final int IN_FLIGHT_PER_RECEIVER = 200;

  /** Opens the queue; to be closed. */
  EventQueue open() {
    AwsAccess access =
        new AwsAccess(
            MessageServer.REGION,
            queue.resolve("/"),
            MessageServer.ACCOUNT,
            MessageServer.ACCOUNT,
            null);
    return new SqsEventQueue(AwsClients.sqs(access, WAIT), queue.toString());
  }

  /** Configuration of one task that only takes messages, and speaks for nothing. */
  Map<String, String> task() {
    S3SourceConnector connector = new S3SourceConnector();
    connector.start(properties());
    List<Map<String, String>> tasks = connector.taskConfigs(2);
    connector.stop();
    return tasks.get(1);
  }

  private Map<String, String> properties() {
    return Map.ofEntries(
        Map.entry("schema.registry.url", REGISTRY.get("schema.registry.url")),
        Map.entry("source.name", "queue"),
        Map.entry("kafka.bootstrap.servers", "none:9092"),
        Map.entry("s3.topic", "files"),
        Map.entry("aws.region", MessageServer.REGION),
        Map.entry("aws.access.key.id", MessageServer.ACCOUNT),
        Map.entry("aws.secret.access.key", MessageServer.ACCOUNT),
        Map.entry("sqs.endpoint", queue.resolve("/").toString()),
        Map.entry("sqs.queue.url", queue.toString()),
        Map.entry("sqs.receivers", Integer.toString(receivers)),
        Map.entry("sqs.receive.wait.ms", Long.toString(WAIT.toMillis())),
        Map.entry("sqs.visibility.timeout.ms", Long.toString(VISIBILITY.toMillis())),
        Map.entry(
            "s3.max.in.flight.messages", Integer.toString(receivers * IN_FLIGHT_PER_RECEIVER)));
  }
}
