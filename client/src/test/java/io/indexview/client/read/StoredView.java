package io.indexview.client.read;

import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Where a test keeps the rows of views, as the sinks do. */
public interface StoredView {
  /** Of all views; see {@link ViewState#uid}. */
  String UID = "uid-1";

  /** Looks before and after each page, as views change under these readers. */
  ReaderConfig LOOKING =
      ReaderConfig.of(PageTokens.ofThisProcess()).withMetadataMaxAge(Duration.ZERO);

  /** One row; null values are in the map too. */
  record TestRow(Map<String, Object> key, String primaryKey, Map<String, Object> values) {
    public Object field(String name) {
      return name.equals("_primaryKey") ? primaryKey : key.get(name);
    }

    public Object value(String name) {
      return values.get(name);
    }
  }

  /** Makes what the generation's rows need. */
  void prepare(ViewGeneration generation);

  void put(ViewGeneration generation, TestRow row, long revision);

  void delete(ViewGeneration generation, TestRow row);

  /** Puts a tombstone in the row's place. */
  void mark(ViewGeneration generation, TestRow row, long revision);

  void tell(ViewMetadata metadata);

  IndexViewReader reader(ReaderConfig config);

  /** Says that one generation serves, READY. */
  default void serve(ViewGeneration generation) {
    tell(metadata(generation, 1, ViewState.State.READY));
  }

  static ViewMetadata metadata(ViewGeneration serving, long version, ViewState.State state) {
    return new ViewMetadata(
        serving.view(),
        UID,
        version,
        0,
        state,
        state == ViewState.State.READY ? "" : "for a reason",
        serving.recordSet().name(),
        "connect-sink",
        List.of(new ViewMetadata.Generation(Role.SERVING, serving)),
        ViewState.Freshness.UNKNOWN);
  }

  /** What the app says of a view that one generation serves. */
  static ViewState ready(ViewGeneration serving, long version, String target, long changedAtMs) {
    return new ViewState(
        serving.view(),
        UID,
        version,
        changedAtMs,
        ViewState.State.READY,
        1,
        "",
        serving.recordSet().name(),
        target,
        "connect-the-sink",
        List.of(
            new ViewState.Generation(
                serving.number(),
                Role.SERVING,
                0,
                serving.toJson(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty())),
        List.of(),
        ViewState.Freshness.UNKNOWN);
  }
}
