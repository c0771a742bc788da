package io.indexview.connect.common.worker;

import io.indexview.schemas.config.BuildProperties;
import java.util.Properties;

/** The version this plugin was built as; what {@code version()} of connectors and tasks answers. */
public final class PluginVersion {
  private static final Properties BUILD = BuildProperties.of(PluginVersion.class);

  private PluginVersion() {}

  public static String get() {
    return BUILD.getProperty("version");
  }

  /** The oldest release of Kafka Connect that the build compares with. */
  static String oldestWorker() {
    return BUILD.getProperty("worker.oldest");
  }

  /** The release that it was built and tested with. */
  static String newestWorker() {
    return BUILD.getProperty("worker.newest");
  }
}
