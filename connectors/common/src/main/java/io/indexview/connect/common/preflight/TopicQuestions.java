package io.indexview.connect.common.preflight;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.AbstractConfig;

/** What every source asks about the topic that its events go to. */
public final class TopicQuestions {
  private TopicQuestions() {}

  /**
   * Asks the brokers whether the topic is there.
   *
   * @param key to blame if it is not
   */
  public static void askBrokers(
      String key, Supplier<? extends ChangeTopicReader> opener, ConfigProblems problems) {
    try (ChangeTopicReader log = opener.get()) {
      log.bounds();
    } catch (MissingTopicException e) {
      problems.add(key, e.getMessage());
    }
  }

  /** Names the brokers that are asked for a topic. */
  public static String brokers(KafkaFragment kafka) {
    return "brokers " + kafka.bootstrapServers();
  }

  /** Names the registry that is asked for schemas; credentials in addresses are left out. */
  public static String registry(AbstractConfig config) {
    return config.getList(RegistryConfig.URL_CONFIG).stream()
        .map(url -> url.replaceFirst("//[^/]*@", "//"))
        .collect(Collectors.joining(",", "schema registry ", ""));
  }

  /** Asks the registry anything; it may or may not know the topic's schema yet. */
  public static void askRegistry(String topic, Supplier<? extends SchemaRegistry> opener) {
    try (SchemaRegistry registry = opener.get()) {
      registry.latest(Subjects.value(topic));
    }
  }
}
