package io.indexview.connect.common.source;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import java.util.Optional;

/** What sources are asked for. */
public interface Requests extends AutoCloseable {
  /** Source of no requests. */
  Requests NONE = topic -> 0;

  /**
   * The number of the newest request to publish every record of a primary-change topic again, as
   * far as is known; 0: none. Returns at once.
   */
  long newest(String topic);

  /** The newest request to scan everything once, as far as is known. Returns at once. */
  default Optional<SourceRequest> newestScan(String topic) {
    return Optional.empty();
  }

  @Override
  default void close() {}

  /** The source-requests topic, as {@link ControlWatch} reads it. Thread-safe. */
  final class SourceRequests implements Requests {
    private final ControlWatch<SourceRequest> watch;

    private SourceRequests(ControlWatch<SourceRequest> watch) {
      this.watch = watch;
    }

    /**
     * Does not read by itself.
     *
     * @param table closed with this
     */
    SourceRequests(ControlTable<SourceRequest> table) {
      this(new ControlWatch<>("source-requests", table));
    }

    /**
     * Reads the topic of an installation from now on.
     *
     * @param kafka settings of the cluster: bootstrap servers, security
     * @param registry stays open
     */
    public static SourceRequests watch(
        Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
      return new SourceRequests(ControlWatch.sourceRequests(kafka, topics, registry));
    }

    /** Reads to the end of the topic. */
    void scan() {
      watch.scan();
    }

    @Override
    public long newest(String topic) {
      SourceRequest request = watch.newest().get(topic);
      return request == null ? 0 : request.number();
    }

    @Override
    public Optional<SourceRequest> newestScan(String topic) {
      return Optional.ofNullable(watch.newest().get(SourceRequest.scanKey(topic)));
    }

    @Override
    public void close() {
      watch.close();
    }
  }
}
