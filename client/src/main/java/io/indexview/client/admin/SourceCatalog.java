package io.indexview.client.admin;

import io.indexview.client.admin.SourceAdmin.SourceNotFoundException;
import io.indexview.schemas.control.PublishedAgain;
import java.time.Instant;
import java.util.List;

/**
 * The sources that an installation knows, and the end of those that are gone for ever: a record set
 * is complete only when all its sources say so. Safe for use by many threads.
 *
 * <p>All methods throw {@link org.apache.kafka.common.KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer.
 */
public interface SourceCatalog {
  /** What every source says of every topic it feeds, by topic, then source. */
  List<SourceStatus> list();

  /**
   * Forgets what a source said of all its topics: what it has is not waited for any more. One that
   * still runs is known again as soon as it says something.
   *
   * @throws SourceNotFoundException if nothing is known of it
   */
  void retire(String source);

  /**
   * Tells that every record of a topic was published on it again, so that what was lost is made up
   * for: a record that was not published since then is gone. For topics that no source speaks for.
   *
   * @param changesTopic the primary-change topic
   * @param since when it began; all is published by now
   * @throws IllegalArgumentException if that is to come, or a source speaks for the topic
   */
  PublishedAgain publishedAgain(String changesTopic, Instant since);
}
