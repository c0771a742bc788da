package io.indexview.server.source;

import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.SourceStatus;
import java.util.List;

/**
 * The sources of an installation. Safe for use by many threads; every method throws as its namesake
 * of {@link SourceAdmin}.
 */
public interface SourceCatalog {
  List<SourceStatus> list();

  void retire(String source);

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
    };
  }
}
