package io.indexview.demo.load;

import static org.awaitility.Awaitility.await;

import io.indexview.demo.AppProcess;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.streams.controller.ControllerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.errors.RetriableException;

/**
 * The instances of one streams app: processes of two threads each, with a state directory of their
 * own and standbys of each other. They have names; the brokers know them by these.
 */
final class AppInstances implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);

  private final Path directory;
  private final Path logs;
  private final Map<String, AppProcess> running = new LinkedHashMap<>();
  private final Map<String, String> settings = new HashMap<>();

  /**
   * @param directory of their state
   */
  AppInstances(Path directory, Path logs) {
    this.directory = directory;
    this.logs = logs;
  }

  /** Starts some, one after the other, and closes all that there are then. */
  AppLauncher launcher(String... names) {
    return config -> {
      settings.putAll(config);
      settings.put("num.stream.threads", "2");
      settings.put("num.standby.replicas", "1");
      settings.put("streams.main.consumer.session.timeout.ms", "15000");
      try {
        for (String name : names) {
          start(name);
        }
        return this;
      } catch (Exception e) {
        // Nobody else knows of those that run.
        close();
        throw e;
      }
    };
  }

  /** What those are given that start from now on. */
  Map<String, String> settings() {
    return settings;
  }

  /** Starts an instance, which may have run before, and waits until it is ready. */
  void start(String name) throws Exception {
    begin(name);
    awaitReady(name);
  }

  void begin(String name) throws Exception {
    Map<String, String> own = new HashMap<>(settings);
    own.put("state.dir", directory.resolve(name).toString());
    own.put("streams.client.id", Pipeline.APPLICATION_ID + "-" + name);
    running.put(name, AppProcess.start(Files.createDirectories(logs.resolve(name)), own));
  }

  void awaitReady(String name) throws Exception {
    running.get(name).awaitReady();
  }

  /** Stops an instance in order. */
  void stop(String name) throws Exception {
    running.remove(name).close();
  }

  void kill(String name) throws Exception {
    running.remove(name).kill();
  }

  void suspend(String name) throws Exception {
    running.get(name).suspend();
  }

  void resume(String name) throws Exception {
    running.get(name).resume();
  }

  /** How long the log of one is by now, in bytes. */
  long logSize(String name) throws IOException {
    return running.get(name).logSize();
  }

  /**
   * Waits until one has logged this, and returns at that very moment.
   *
   * @param since position in its log
   */
  void awaitLogged(String name, String text, long since) {
    await()
        .atMost(TIMEOUT)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> running.get(name).hasLogged(text, since));
  }

  Set<String> names() {
    return Set.copyOf(running.keySet());
  }

  /** Waits until one alone has the lease of the controller. */
  String awaitController(Admin admin) {
    return awaitPartitions(
            admin,
            ControllerFactory.name(Pipeline.APPLICATION_ID),
            ".",
            found -> found.size() == 1 && running.keySet().containsAll(found.keySet()))
        .keySet()
        .iterator()
        .next();
  }

  /** Waits until these instances have all tasks of a change topic, each at least one. */
  void awaitTasks(Admin admin, String topic, int partitions, Set<String> names) {
    awaitPartitions(
        admin,
        Pipeline.APPLICATION_ID,
        topic,
        found ->
            found.keySet().equals(names)
                && found.values().stream().mapToInt(Integer::intValue).sum() == partitions);
  }

  private static Map<String, Integer> awaitPartitions(
      Admin admin, String group, String topic, Predicate<Map<String, Integer>> expected) {
    return await()
        .atMost(TIMEOUT)
        .ignoreExceptionsMatching(e -> e.getCause() instanceof RetriableException)
        .until(() -> partitions(admin, group, topic), expected);
  }

  /** How many partitions of a topic each instance has; those that have none are left out. */
  private static Map<String, Integer> partitions(Admin admin, String group, String topic)
      throws Exception {
    Map<String, Integer> partitions = new TreeMap<>();
    for (MemberDescription member :
        admin.describeConsumerGroups(List.of(group)).describedGroups().get(group).get().members()) {
      int count =
          (int)
              member.assignment().topicPartitions().stream()
                  .filter(partition -> topic.equals(".") || partition.topic().equals(topic))
                  .count();
      if (count > 0) {
        partitions.merge(name(member), count, Integer::sum);
      }
    }
    return partitions;
  }

  /** A part of the id that all clients of an instance begin with. */
  private static String name(MemberDescription member) {
    String rest = member.clientId().substring(Pipeline.APPLICATION_ID.length() + 1);
    return rest.substring(0, rest.indexOf('-'));
  }

  /** All of them, also after one that does not stop. */
  @Override
  public void close() throws Exception {
    for (String name : new TreeSet<>(running.keySet())) {
      stop(name);
    }
  }
}
