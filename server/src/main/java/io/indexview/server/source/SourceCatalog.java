package io.indexview.server.source;

import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.SourceStatus;
import io.indexview.schemas.control.PublishedAgain;
import java.time.Instant;
import java.util.List;

/**
 * The sources of an installation. Safe for use by many threads; every method throws as its namesake
 * of {@link SourceAdmin}.
 */
public interface SourceCatalog {
  List<SourceStatus> list();

  void retire(String source);

  PublishedAgain publishedAgain(String changesTopic, Instant since);

  /** The catalog that an administrator gives; it stays the caller's to close. */
  static SourceCatalog of(SourceAdmin admin) {
    return new SourceCatalog() {
      @Override
      public List<SourceStatus> list() {
        return admin.list();
      }

      @Override
      public void retire(String source) {
        admin.retire(source);
      }

      @Override
      public PublishedAgain publishedAgain(String changesTopic, Instant since) {
        return admin.publishedAgain(changesTopic, since);
      }
    };
  }
}
